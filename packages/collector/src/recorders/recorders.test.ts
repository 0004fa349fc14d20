import { createHash } from 'node:crypto'
import { accountNamed, epochMs } from '@svc/core'
import type { RecorderContext, UsageDetail } from '@svc/core/usage'
import { describe, expect, it } from 'vitest'
import { recorders } from './recorders.ts'

const AT = epochMs(Date.UTC(2026, 9, 20, 10))
const sha = (text: string) => createHash('sha256').update(text).digest('hex')
const context: RecorderContext = {
  accounts: [
    accountNamed('ann.json', {
      selector: { authName: 'ann.json', authIndex: '0123456789abcdef', accountKey: 'ann' },
      email: 'ann@example.com',
    }),
    accountNamed('bob.json', {
      selector: { authName: 'bob.json', authIndex: '', accountKey: 'bob' },
      provider: 'claude',
      email: 'bob@example.com',
    }),
  ],
  clients: ['sk-one', 'sk-two'],
  now: AT,
}

/** The request that a row becomes, or the reason why it becomes none. */
const read = (
  program: 'keeper' | 'cpa-manager-plus',
  row: Readonly<Record<string, unknown>>,
): UsageDetail | string | undefined => {
  const { details, quarantined } = recorders[program].reader(context)(row)
  return details[0] ?? quarantined[0]?.reason
}

const shared = {
  provider: 'codex',
  endpoint: 'POST /v1/responses',
  model: 'gpt-5.5',
  auth_index: '0123456789abcdef',
  failed: 0,
  latency_ms: 1_200,
  ttft_ms: 0,
  input_tokens: 100,
  output_tokens: 10,
  reasoning_tokens: 5,
  cached_tokens: 40,
  cache_read_tokens: 0,
  cache_creation_tokens: 0,
  total_tokens: 110,
}
const keeper = {
  ...shared,
  event_key: 'event-1',
  api_group_key: 'sk-one',
  timestamp: '2026-10-20T10:00:00.000000123Z',
  source: 'ann@example.com',
}
const manager = {
  ...shared,
  event_hash: 'event-1',
  timestamp_ms: AT,
  timestamp: '2026-10-20T10:00:00.000000123Z',
  resolved_model: 'gpt-5.5',
  api_key_hash: sha('sk-one'),
  source: 'ann***@example.com',
  source_hash: sha('ann@example.com'),
}
const classes = { tokensIn: 60, tokensCached: 40, tokensWritten: 0, tokensOut: 10 }
const cached = (tokensIn: number, tokensCached: number, tokensWritten: number) => ({
  ...{ tokensIn, tokensCached, tokensWritten, tokensOut: 10 },
})
const whole = {
  at: AT,
  accountKey: 'ann',
  apiName: 'sk-one',
  model: 'gpt-5.5',
  tokens: 110,
  failed: false,
  failure: null,
  provider: 'codex',
  classes,
  latencyMs: 1_200,
  firstTokenMs: null,
}

interface Case {
  readonly what: string
  readonly row: Readonly<Record<string, unknown>>
  readonly becomes: Partial<UsageDetail> | string
}

/** Rows that both programs have, under the same names. */
const common: readonly Case[] = [
  { what: 'a whole row', row: {}, becomes: whole },
  {
    what: 'a count that is stated as read from the cache',
    row: { cache_read_tokens: 30 },
    becomes: { classes: cached(70, 30, 0) },
  },
  {
    what: 'Claude, whose cache is apart',
    row: {
      provider: 'claude',
      auth_index: '',
      cached_tokens: 500,
      cache_creation_tokens: 500,
      total_tokens: 610,
    },
    becomes: { tokens: 610, classes: cached(100, 0, 500) },
  },
  {
    what: 'a failure of every spelling',
    row: { failed: 1 },
    becomes: { failed: true, failure: null },
  },
  { what: 'a failure as a word', row: { failed: 'true' }, becomes: { failed: true } },
  { what: 'a failure as a boolean', row: { failed: true }, becomes: { failed: true } },
  { what: 'a failure that is unknown', row: { failed: null }, becomes: { failed: false } },
  {
    what: 'a vendor that nobody knows',
    row: { provider: 'acme', auth_index: 'ffffffffffffffff', source: '', source_hash: '' },
    becomes: { accountKey: 'other:acme', provider: 'acme', classes: null },
  },
  {
    what: 'no vendor',
    row: { provider: null, auth_index: null, source: null, source_hash: null },
    becomes: { accountKey: 'other:unknown', provider: null, classes: null },
  },
  {
    what: 'a key as the source, which is never kept',
    row: { auth_index: '', source: 'sk-secret', source_hash: sha('sk-secret') },
    becomes: { accountKey: 'other:codex' },
  },
  { what: 'fewer tokens than none', row: { input_tokens: -1 }, becomes: 'bad_tokens' },
]

describe.each([
  ['keeper', keeper, 'api_group_key'],
  ['cpa-manager-plus', manager, 'api_key_hash'],
] as const)('a row of %s', (program, base, client) => {
  it.each(common)('$what', ({ row, becomes }) => {
    const found = read(program, { ...base, ...row })

    if (typeof becomes === 'string') expect(found).toBe(becomes)
    else expect(found).toMatchObject(becomes)
  })

  it('without a client is counted by its endpoint', () => {
    expect(read(program, { ...base, [client]: '' })).toMatchObject({
      apiName: 'POST /v1/responses',
    })
    expect(read(program, { ...base, [client]: null, endpoint: null })).toMatchObject({
      apiName: 'codex',
    })
  })

  it('keeps its key whatever else of it changes, and shares it with no other', () => {
    const keyOf = (row: object) => (read(program, { ...base, ...row }) as UsageDetail).key
    const id = program === 'keeper' ? 'event_key' : 'event_hash'

    expect(keyOf({ provider: 'claude', executor_type: 'x', model: 'y' })).toBe(keyOf({}))
    expect(keyOf({ [id]: 'event-2' })).not.toBe(keyOf({}))
    expect(keyOf({ [id]: null })).not.toBe(keyOf({ [id]: null, ttft_ms: 1 }))
    expect(keyOf({ [id]: 7, ttft_ms: 1 })).toBe(keyOf({ [id]: '7' }))
  })
})

it.each<Case>([
  {
    what: 'nanoseconds',
    row: { timestamp: '2026-10-20T10:00:00.999999999Z' },
    becomes: { at: epochMs(AT + 999) },
  },
  { what: 'another zone', row: { timestamp: '2026-10-20 18:00:00+08:00' }, becomes: { at: AT } },
  { what: 'seconds', row: { timestamp: AT / 1_000 }, becomes: { at: AT } },
  { what: 'milliseconds as text', row: { timestamp: String(AT) }, becomes: { at: AT } },
  { what: 'the future', row: { timestamp: '2026-10-22T10:00:00Z' }, becomes: 'bad_timestamp' },
  { what: 'the zero of Go', row: { timestamp: '0001-01-01T00:00:00Z' }, becomes: 'bad_timestamp' },
  { what: 'no time', row: { timestamp: null }, becomes: 'no_timestamp' },
  {
    what: 'an address of one account alone',
    row: { auth_index: '', provider: 'claude', source: 'BOB@example.com' },
    becomes: { accountKey: 'bob', provider: 'claude' },
  },
  {
    what: 'the status of a failure',
    row: { failed: 1, failure_status_code: 429 },
    becomes: { failure: 'failedLimit' },
  },
  {
    what: 'the status of a failure as newer versions name it',
    row: { failed: 1, status_code: 429 },
    becomes: { failure: 'failedLimit' },
  },
  { what: 'a name that cannot be stored', row: { model: 'a\0b' }, becomes: 'bad_name' },
])('keeper: $what', ({ row, becomes }) => {
  const found = read('keeper', { ...keeper, ...row })

  if (typeof becomes === 'string') expect(found).toBe(becomes)
  else expect(found).toMatchObject(becomes)
})

it.each<Case>([
  { what: 'seconds', row: { timestamp_ms: AT / 1_000 }, becomes: { at: AT } },
  { what: 'milliseconds as text', row: { timestamp_ms: String(AT) }, becomes: { at: AT } },
  { what: 'the time as text alone', row: { timestamp_ms: null }, becomes: { at: AT } },
  { what: 'the future', row: { timestamp_ms: AT + 2 * 86_400_000 }, becomes: 'bad_timestamp' },
  {
    what: 'an alias as the model',
    row: { model: 'fast', resolved_model: 'gpt-5.5' },
    becomes: { model: 'gpt-5.5' },
  },
  {
    what: 'no resolved model',
    row: { model: 'fast', resolved_model: '' },
    becomes: { model: 'fast' },
  },
  {
    what: 'a dash as the model',
    row: { model: '-', resolved_model: null },
    becomes: { model: 'unknown' },
  },
  {
    what: 'a client that the store does not know',
    row: { api_key_hash: sha('sk-other') },
    becomes: { apiName: sha('sk-other') },
  },
  {
    what: 'an address as a hash',
    row: { auth_index: '', provider: 'claude', source_hash: sha('bob@example.com') },
    becomes: { accountKey: 'bob' },
  },
  {
    what: 'input that includes the cache, of a vendor that nobody knows',
    row: {
      provider: 'acme',
      auth_index: '',
      source_hash: '',
      cache_input_mode: 'included_in_input',
    },
    becomes: { classes },
  },
  {
    what: 'input apart from the cache',
    row: {
      provider: 'acme',
      auth_index: '',
      source_hash: '',
      cache_input_mode: 'separate_from_input',
      cache_read_tokens: 40,
      total_tokens: 150,
    },
    becomes: { classes: cached(100, 40, 0) },
  },
  {
    what: 'the status of a failure',
    row: { failed: true, fail_status_code: 503 },
    becomes: { failure: 'failedVendor' },
  },
])('CPA Manager Plus: $what', ({ row, becomes }) => {
  const found = read('cpa-manager-plus', { ...manager, ...row })

  if (typeof becomes === 'string') expect(found).toBe(becomes)
  else expect(found).toMatchObject(becomes)
})

describe('the export of the proxy', () => {
  const chunks = (document: unknown) => [Buffer.from(JSON.stringify(document))]
  const open = recorders['usage-export'].reader(context)
  const detail = {
    timestamp: '2026-10-20T10:00:00Z',
    source: 'ann@example.com',
    auth_index: '0123456789abcdef',
    tokens: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
    failed: false,
  }
  const usage = { apis: { 'sk-one': { models: { 'gpt-5.5': { details: [detail, detail] } } } } }

  it.each([
    { version: 1, exported_at: '2026-10-20T11:00:00Z', usage },
    { version: 2, usage },
    { usage },
  ])('%#: is the tree that the proxy answered with', (document) => {
    const details = [...(open(chunks(document)) ?? [])].flatMap((batch) => batch.details)

    expect(details).toHaveLength(2)
    expect(details[0]).toMatchObject({ accountKey: 'ann', apiName: 'sk-one', tokens: 110 })
    expect(details[0]?.key).not.toBe(details[1]?.key)
  })

  it.each([{ usage: 1 }, {}, [], 'text'])('%#: is nothing else', (document) => {
    expect(open(chunks(document))).toBeNull()
  })
})
