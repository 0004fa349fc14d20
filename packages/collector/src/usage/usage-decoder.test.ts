import { epochMs, instantToIso, parseInstant, plusMs } from '@svc/core'
import { anAccount } from '@svc/core/testing'
import { readRecording } from '@svc/fake-proxy'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accountDirectoryOf, noAccounts } from './account-directory.ts'
import { decodeQueue, decodeRecords, decodeTree } from './usage-decoder.ts'

const NOW = epochMs(Date.UTC(2026, 10, 21))
const context = { directory: noAccounts, receivedAt: NOW }
const sample = (name: string): unknown => (readRecording(name) as { readonly body: unknown }).body

const record = (changes: Readonly<Record<string, unknown>> = {}) => ({
  timestamp: '2026-11-20T22:39:03.123456789+08:00',
  latency_ms: 5_234,
  source: 'alice@example.com',
  auth_index: '0a4d98ea4d813760',
  tokens: { input_tokens: 900, output_tokens: 100, total_tokens: 1_000 },
  failed: false,
  fail: { status_code: 200, body: '' },
  provider: 'codex',
  model: 'gpt-5.5',
  endpoint: 'POST /v1/responses',
  api_key: 'sk-client',
  request_id: 'a1b2c3d4',
  ...changes,
})
const decoded = (...records: readonly unknown[]) => decodeRecords(records, context)
/** The decoded detail of one record, or the reason it is not kept. */
const outcome = (wire: unknown) => {
  const { batch } = decoded(wire)
  return batch.details[0] ?? batch.quarantined[0]?.reason ?? 'ignored'
}

describe('the queue', () => {
  it('as it was recorded is read whole', () => {
    const { batch, elementCount, activity } = decoded(
      ...(sample('v7-usage-queue') as readonly unknown[]),
    )
    expect(elementCount).toBe(12)
    expect(batch.quarantined).toEqual([])
    expect(batch.details.map(({ failed, tokens }) => [failed, tokens])).toEqual([
      [true, 0],
      [false, 1_050],
      [false, 1_050],
      [true, 0],
      [true, 0],
      [true, 0],
      [false, 1_050],
      [false, 1_050],
      [true, 0],
      [true, 0],
      [true, 0],
      [false, 150],
    ])
    expect(new Set(batch.details.map(({ key }) => key)).size).toBe(12)
    // Only quota headers are kept, and of a failed attempt only a used-up limit.
    expect(activity.flatMap(({ samples }) => samples).length).toBeGreaterThan(0)
    expect(JSON.stringify(activity)).not.toMatch(/session|cloudflare|Cookie/i)
  })

  it('keeps a request as the proxy tells it', () => {
    expect(outcome(record())).toEqual({
      at: parseInstant('2026-11-20T14:39:03.123Z'),
      key: expect.any(BigInt),
      accountKey: 'other:codex',
      apiName: 'sk-client',
      model: 'gpt-5.5',
      tokens: 1_000,
      failed: false,
      provider: 'codex',
      classes: { tokensIn: 900, tokensCached: 0, tokensWritten: 0, tokensOut: 100 },
      latencyMs: 5_234,
      firstTokenMs: null,
      failure: null,
      cause: null,
      tier: null,
    })
  })

  it.each<
    readonly [why: string, changes: Readonly<Record<string, unknown>>, tokens: number | string]
  >([
    ['a total as text', { tokens: { total_tokens: '12' } }, 12],
    [
      'a sound breakdown',
      { token_breakdown: { schema_version: 2, quality: 'complete', total_tokens: 42 } },
      42,
    ],
    [
      'more than a number holds',
      { tokens: { total_tokens: 2 ** 53 + 2 } },
      Number.MAX_SAFE_INTEGER,
    ],
    ['a negative total', { tokens: { total_tokens: -5 } }, 'bad_tokens'],
  ])('counts %s', (_, changes, tokens) => {
    const found = outcome(record(changes))
    expect(typeof found === 'string' ? found : found.tokens).toBe(tokens)
  })

  it('as it was recorded says what its tokens were, how long it took and of whom it was', () => {
    const { details } = decoded(...(sample('v7-usage-queue') as readonly unknown[])).batch
    expect(details[1]).toMatchObject({
      tokens: 1_050,
      provider: 'codex',
      classes: { tokensIn: 800, tokensCached: 200, tokensWritten: 0, tokensOut: 50 },
      latencyMs: 38,
      firstTokenMs: 37,
    })
    expect(details.every(({ classes }) => classes !== null)).toBe(true)
  })

  it.each([
    { wire: undefined, latencyMs: null, firstTokenMs: null },
    { wire: 'soon', latencyMs: null, firstTokenMs: null },
    { wire: -1, latencyMs: 0, firstTokenMs: null },
    { wire: 0, latencyMs: 0, firstTokenMs: null },
    { wire: '12', latencyMs: 12, firstTokenMs: 12 },
    { wire: 1.5, latencyMs: 2, firstTokenMs: 2 },
    { wire: 1e12, latencyMs: 86_400_000, firstTokenMs: 86_400_000 },
  ])(
    'takes $wire for $latencyMs ms, and $firstTokenMs ms to the first token',
    ({ wire, ...times }) => {
      expect(outcome(record({ latency_ms: wire, ttft_ms: wire }))).toMatchObject(times)
    },
  )

  it.each([
    { fail: { status_code: 401 }, failure: 'failedAuth' },
    { fail: { status_code: '429' }, failure: 'failedLimit' },
    { fail: { status_code: 502, body: '' }, failure: 'failedVendor' },
    { fail: { status_code: 400 }, failure: 'failedOther' },
    { fail: { status_code: 0 }, failure: null },
    { fail: {}, failure: null },
    { fail: undefined, failure: null },
  ])('takes a failure with $fail for $failure', ({ fail, failure }) => {
    expect(outcome(record({ failed: true, fail }))).toMatchObject({ failed: true, failure })
    expect(outcome(record({ failed: false, fail }))).toMatchObject({ failure: null })
  })

  it('says when it could not hold a number', () => {
    expect(
      decoded(record({ tokens: { total_tokens: 1e300 } }), record()).batch.saturatedCount,
    ).toBe(1)
  })

  it.each<readonly [timestamp: unknown, at: string]>([
    [undefined, 'no_timestamp'],
    ['', 'no_timestamp'],
    ['2019-12-31T23:59:59.999Z', 'bad_timestamp'],
    ['9999-12-31T23:59:59Z', 'bad_timestamp'],
    ['2026-11-22T00:00:00.001Z', 'bad_timestamp'],
    ['yesterday', 'bad_timestamp'],
    ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000Z'],
    ['2026-11-22T00:00:00Z', '2026-11-22T00:00:00.000Z'],
    ['2026-11-20T12:00:00.123456789Z', '2026-11-20T12:00:00.123Z'],
  ])('of time %j makes %s', (timestamp, at) => {
    const found = outcome(record({ timestamp }))
    expect(typeof found === 'string' ? found : instantToIso(found.at)).toBe(at)
  })

  it.each<readonly [why: string, wire: unknown, outcome: unknown]>([
    ['nothing', null, 'ignored'],
    ['an empty text', '', 'ignored'],
    ['a call to refresh', { refresh: true }, 'ignored'],
    ['a greeting', { support_refresh: true }, 'ignored'],
    ['a number', 7, 'bad_shape'],
    ['a word', 'record', 'bad_shape'],
    ['a list', [], 'bad_shape'],
    ['an object of nothing', {}, 'no_timestamp'],
  ])('%s among the records', (_, wire, expected) => {
    expect(outcome(wire)).toBe(expected)
  })

  it.each(['{}', '"text"', 'null', '7', '[1,', ''])('with an answer of %j is none', (answer) => {
    expect(decodeQueue(Buffer.from(answer), context)).toBeNull()
    expect(decodeQueue(Buffer.from(JSON.stringify([record()])), context)).toMatchObject({
      elementCount: 1,
    })
  })

  it('knows equal bytes for one record, and any difference for another', () => {
    const keys = decoded(
      record(),
      record(),
      record({ request_id: 'b' }),
      record({ latency_ms: 5_235 }),
    ).batch.details.map(({ key }) => key)
    expect(keys[0]).toBe(keys[1])
    expect(new Set(keys).size).toBe(3)
  })

  it.each(['api_key', 'endpoint', 'provider', 'model'])(
    'refuses a record with a NUL in %s',
    (field) => {
      expect(outcome(record({ [field]: 'a\0b' }))).toBe('bad_name')
    },
  )

  it('takes names as text that is fit to be shown, at a bounded length', () => {
    const name = `</script>\u202e\u0001${'x'.repeat(1_000_000)}`
    const kept = `</script>${'x'.repeat(245)}`

    expect(outcome(record({ api_key: name, model: name }))).toMatchObject({
      apiName: kept,
      model: kept,
    })
  })

  it('never fails, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.jsonValue(), fc.record({ ...wireFields() }, { requiredKeys: [] }))),
        (wire) => {
          const { batch } = decoded(...wire)
          for (const { tokens, at } of batch.details) {
            expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true)
            expect(at >= Date.UTC(2020, 0) && at <= NOW + 86_400_000).toBe(true)
          }
          expect(batch.details.length + batch.quarantined.length).toBeLessThanOrEqual(wire.length)
        },
      ),
    )
  })
})

describe('the account of a record', () => {
  const named = (name: string, authIndex: string, email: string | null) => {
    const account = anAccount(name, { email })
    return { ...account, selector: { ...account.selector, authIndex, accountKey: `key-${name}` } }
  }
  const directory = accountDirectoryOf({
    accounts: [
      named('a', 'index-a', 'a@example.com'),
      named('twin', 'index-twin', 'two@example.com'),
      named('other-twin', 'index-other', 'two@example.com'),
      named('nameless', '', null),
    ],
  })
  const keyOf = (changes: Readonly<Record<string, unknown>>) =>
    decodeRecords([record(changes)], { directory, receivedAt: NOW }).batch.details[0]?.accountKey

  it.each([
    ['its index', { auth_index: 'index-a', source: 'somebody@example.com' }, 'key-a'],
    [
      'an upstream key',
      { auth_index: '', source: 'sk-upstream-secret', provider: 'OpenAI Compatible!' },
      'other:openaicompatible',
    ],
    ['nothing', { auth_index: undefined, source: undefined, provider: undefined }, 'other:unknown'],
  ])('is found by %s', (_, changes, key) => {
    expect(keyOf(changes)).toBe(key)
  })
})

describe('quota in the headers of answers', () => {
  const headers = {
    'X-Codex-Plan-Type': ['plus'],
    'X-Codex-Primary-Used-Percent': ['12.5'],
    'X-Codex-Primary-Window-Minutes': ['300'],
    'X-Codex-Primary-Reset-At': ['1795200000'],
    'x-codex-secondary-used-percent': ['100'],
    'x-codex-secondary-window-minutes': ['10080'],
    'x-codex-secondary-reset-after-seconds': ['3600'],
    'X-Codex-Bengalfox-Primary-Used-Percent': ['40'],
    'X-Codex-Bengalfox-Primary-Window-Minutes': ['10080'],
    'Set-Cookie': ['secret=1'],
  }
  const sampleOf = (changes: Readonly<Record<string, unknown>>) =>
    decoded(record({ response_headers: headers, ...changes })).activity[0]?.samples[0] ?? null
  const limit = {
    error: { type: 'usage_limit_reached', resets_at: 1_795_200_000, resets_in_seconds: 600 },
  }
  const at = parseInstant('2026-11-20T14:39:08.357Z') ?? NOW

  it('of a success is evidence of its end, its windows named by their length', () => {
    expect(sampleOf({})).toEqual({
      origin: 'headers',
      sampledAt: at,
      plan: 'plus',
      windows: [
        { id: '5h', periodSeconds: 18_000, percent: 87.5, resetAt: 1_795_200_000_000 },
        { id: 'week', periodSeconds: 604_800, percent: 0, resetAt: plusMs(at, 3_600_000) },
        { id: 'extra:codex_bengalfox:week', periodSeconds: 604_800, percent: 60, resetAt: null },
      ],
      unreadableWindowCount: 0,
      limitReached: false,
      spendReached: null,
    })
  })

  it.each<readonly [why: string, changes: Readonly<Record<string, unknown>>, counts: boolean]>([
    [
      'a refused limit',
      { failed: true, fail: { status_code: 429, body: JSON.stringify(limit) } },
      true,
    ],
    [
      'another 429',
      { failed: true, fail: { status_code: 429, body: '{"error":{"type":"rate_limit"}}' } },
      false,
    ],
    ['a 500', { failed: true, fail: { status_code: 500, body: JSON.stringify(limit) } }, false],
    ['a success without headers', { response_headers: undefined }, false],
    [
      'a percent that is none',
      { response_headers: { ...headers, 'X-Codex-Primary-Used-Percent': ['a lot'] } },
      true,
    ],
  ])('of %s: %s', (_, changes, counts) => {
    expect(sampleOf(changes) !== null).toBe(counts)
  })

  it('are taken from the newest answer, and successes from successes alone', () => {
    const later = {
      timestamp: '2026-11-20T23:00:00+08:00',
      response_headers: { ...headers, 'X-Codex-Primary-Used-Percent': ['50'] },
    }
    const { activity } = decoded(
      record(later),
      record({ response_headers: headers }),
      record({ failed: true, timestamp: '2026-11-20T23:30:00+08:00' }),
    )
    expect(activity).toHaveLength(1)
    expect(activity[0]?.samples.at(-1)?.windows[0]?.percent).toBe(50)
    expect(activity[0]?.lastSuccessAt).toBe(parseInstant('2026-11-20T15:00:05.234Z'))
  })
})

describe('a record of another vendor', () => {
  const account = (provider: string) => {
    const one = anAccount(provider, { provider })
    return { ...one, selector: { ...one.selector, authIndex: `index-${provider}` } }
  }
  const directory = accountDirectoryOf({ accounts: ['claude', 'antigravity'].map(account) })
  const activityOf = (provider: string, changes: Readonly<Record<string, unknown>>) => {
    const wire = record({ provider, auth_index: `index-${provider}`, ...changes })
    return decodeRecords([wire], { directory, receivedAt: NOW }).activity[0]
  }
  const resetAt = epochMs(Date.UTC(2026, 10, 25))
  const unified = (windows: Readonly<Record<string, readonly [status: string, used: number]>>) =>
    Object.fromEntries(
      Object.entries(windows).flatMap(([name, [status, used]]) =>
        Object.entries({ Status: status, Utilization: used, Reset: resetAt / 1000 }).map(
          ([field, value]) => [`Anthropic-Ratelimit-Unified-${name}-${field}`, [String(value)]],
        ),
      ),
    )
  const limited = (status: number, body: object = { error: { type: 'rate_limit_error' } }) => ({
    failed: true,
    fail: { status_code: status, body: JSON.stringify(body) },
  })
  const open = { '5h': ['allowed', 0.2], '7d': ['allowed', 0.4] } as const

  it('that refuses the premium model alone shows its window used up and no refusal', () => {
    const response_headers = unified({ ...open, '7d_oi': ['rejected', 1] })

    expect(activityOf('claude', { ...limited(429), response_headers })).toMatchObject({
      refusal: null,
      lastSuccessAt: null,
      samples: [
        {
          windows: [
            { id: '5h', percent: 80 },
            { id: 'week', percent: 60 },
            { id: 'premium:week', percent: 0, resetAt },
          ],
        },
      ],
    })
  })

  it.each([401, 403, 500])('with status %i may have the headers of another account', (status) => {
    const activity = activityOf('claude', { ...limited(status), response_headers: unified(open) })

    expect(activity?.samples ?? []).toEqual([])
  })

  it('keeps a window of an earlier answer that the newest lacks', () => {
    const wire = (timestamp: string, headers: object) =>
      record({
        provider: 'claude',
        auth_index: 'index-claude',
        timestamp,
        response_headers: headers,
      })
    const records = [
      wire('2026-11-20T12:00:00Z', unified({ ...open, '7d_oi': ['allowed', 0.9] })),
      wire('2026-11-20T12:01:00Z', unified(open)),
    ]
    const samples = decodeRecords(records, { directory, receivedAt: NOW }).activity[0]?.samples

    expect(samples?.map(({ windows }) => windows.map(({ id }) => id))).toEqual([
      ['premium:week'],
      ['5h', 'week'],
    ])
  })

  it.each([
    { model: 'gemini-3-flash', delay: '108h48m20.79s', windows: [['gemini:week', 0]] },
    { model: 'claude-opus-4-6', delay: '4h59m', windows: [['3p:5h', 0]] },
    { model: 'claude-opus-4-6', delay: '0.5s', windows: undefined },
  ])('that refuses a pool of Google: $model for $delay', ({ model, delay, windows }) => {
    const details = [{ reason: 'QUOTA_EXHAUSTED', metadata: { model, quotaResetDelay: delay } }]
    const error = { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Exhausted.', details }
    const activity = activityOf('antigravity', limited(429, { error }))
    const [sample] = activity?.samples ?? []

    expect(sample?.windows.map(({ id, percent }) => [id, percent])).toEqual(windows)
    expect(activity?.refusal ?? null).toBeNull()
    if (sample !== undefined)
      expect(sample).toMatchObject({ origin: 'error-body', windows: [{ models: [model] }] })
  })
})

describe('the legacy tree', () => {
  const read = (wire: unknown) => {
    const bytes = Buffer.from(JSON.stringify(wire))
    const half = bytes.length >> 1
    const tree = decodeTree([bytes.subarray(0, half), bytes.subarray(half)], context)
    if (tree === null) return null
    const batches = [...tree.batches]
    return {
      totalRequests: tree.totalRequests,
      totals: tree.totals,
      elementCount: tree.facts().elementCount,
      details: batches.flatMap(({ details }) => details),
      batchCount: batches.length,
    }
  }

  it('as it was recorded is read whole', () => {
    const tree = read(sample('v6.9.49-usage'))
    expect(tree).toMatchObject({ elementCount: 79, totalRequests: 79 })
    expect((tree?.totals?.success ?? 0) + (tree?.totals?.failed ?? 0)).toBe(79)
    expect(tree?.totals?.tokens).toBeGreaterThan(0)
    expect(tree?.details).toHaveLength(79)
    expect(tree?.details.filter(({ failed }) => failed)).toHaveLength(48)
    expect(tree?.details.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(31_650)
    expect(read(sample('v6.9.49-usage-empty'))).toMatchObject({
      elementCount: 0,
      totalRequests: 0,
      details: [],
    })
  })

  const detail = (changes: object = {}) => ({
    timestamp: '2026-11-20T12:00:00.000000001Z',
    source: 's',
    auth_index: '1',
    failed: false,
    tokens: { total_tokens: 5 },
    ...changes,
  })
  const treeOf = (...details: readonly unknown[]) => ({
    usage: { total_requests: details.length, apis: { key: { models: { m: { details } } } } },
  })
  const keys = (...details: readonly unknown[]) =>
    read(treeOf(...details))?.details.map(({ key }) => key) ?? []

  it('tells two truly identical requests apart, and finds both again', () => {
    const twice = keys(detail(), detail())
    expect(new Set(twice).size).toBe(2)
    expect(keys(detail({ tokens: { total_tokens: 6 } }), detail(), detail()).slice(1)).toEqual(
      twice,
    )
    expect(keys(detail({ latency_ms: 7 }))[0]).toBe(twice[0])
  })

  it('is read in batches, and equal requests in different batches are still told apart', () => {
    const many = Array.from({ length: 12_000 }, () => detail())
    const tree = read(treeOf(...many))
    expect(tree).toMatchObject({ elementCount: 12_000, batchCount: 3 })
    expect(new Set(tree?.details.map(({ key }) => key)).size).toBe(12_000)
  })

  it.each([
    { usage: { apis: { 'k\0': { models: { m: { details: [detail()] } } } } } },
    { usage: { apis: { k: { models: { 'm\0': { details: [detail()] } } } } } },
  ])('refuses requests under a name with a NUL: %j', (tree) => {
    expect(read(tree)).toMatchObject({ elementCount: 1, details: [] })
  })

  it('that is no JSON is none', () => {
    expect(decodeTree([Buffer.from('{"usage":{"apis":{}}')], context)).toBeNull()
  })

  it.each<readonly [why: string, tree: unknown, kept: number | null]>([
    ['no object', [], null],
    ['without usage', {}, null],
    ['with apis that are a list', { usage: { apis: [] } }, null],
    ['without apis', { usage: { apis: null, total_requests: 0 } }, 0],
    ['with details of nothing', treeOf(null, 7, 'x', {}), 0],
    ['with one good detail among bad ones', treeOf(null, detail(), { timestamp: 'x' }), 1],
    [
      'with names that objects have anyway',
      {
        usage: {
          apis: JSON.parse(
            `{"__proto__":{"models":{"constructor":{"details":[${JSON.stringify(detail())}]}}}}`,
          ),
        },
      },
      1,
    ],
  ])('%s', (_, tree, kept) => {
    expect(read(tree)?.details.length ?? null).toBe(kept)
  })
})

function wireFields() {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(-1, Number.POSITIVE_INFINITY, 2 ** 60, '12', '', null),
  )
  return {
    timestamp: fc.oneof(fc.constant('2026-11-20T12:00:00Z'), anything),
    tokens: fc.oneof(fc.record({ total_tokens: anything, input_tokens: anything }), anything),
    token_breakdown: fc.oneof(
      fc.record({ schema_version: fc.constant(2), total_tokens: anything }),
      anything,
    ),
    failed: anything,
    fail: anything,
    response_headers: fc.oneof(
      fc.dictionary(
        fc.constantFrom('X-Codex-Primary-Used-Percent', 'x-codex-primary-window-minutes', 'other'),
        anything,
      ),
      anything,
    ),
    auth_index: anything,
    source: anything,
    api_key: anything,
    model: anything,
    latency_ms: anything,
  }
}
