import { createHash } from 'node:crypto'
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { decodeQueue, noAccounts } from '@svc/collector'
import { accountNamed, epochMs } from '@svc/core'
import { textOfAccount } from '@svc/core/pool'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { openHistory, openUsage } from '@svc/history'
import { createKeeperFile, createManagerFile } from '@svc/history/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli } from '../testing/run-for-test.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-records-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)
const START = Date.UTC(2026, 9, 20, 10)
const CLIENT = 'sk-client-secret-one'
const EMAIL = 'ann@example.com'
const sha = (text: string) => createHash('sha256').update(text).digest('hex')

const ann = accountNamed('codex-ann.json', {
  selector: { authName: 'codex-ann.json', authIndex: '0123456789abcdef', accountKey: 'ann-key' },
  email: EMAIL,
})
const tokens = (index: number) => ({
  input_tokens: 100 + index,
  output_tokens: 10,
  reasoning_tokens: 0,
  cached_tokens: 40,
  cache_read_tokens: 0,
  cache_creation_tokens: 0,
  total_tokens: 110 + index,
})
const timeOf = (index: number) =>
  new Date(START + index * 1_000).toISOString().replace('Z', `${100_000 + index}Z`)
const shared = (index: number) => ({
  provider: 'codex',
  endpoint: 'POST /v1/responses',
  model: 'gpt-5.5',
  source: EMAIL,
  auth_index: '0123456789abcdef',
  latency_ms: 1_200,
  ttft_ms: 300,
  timestamp: timeOf(index),
})
/** One request, as each program records it. */
const ofProxy = (index: number) => ({
  ...shared(index),
  api_key: CLIENT,
  failed: index === 2,
  tokens: { ...tokens(index), cache_read_tokens: 40 },
})
const ofKeeper = (index: number) => ({
  ...{ ...shared(index), ...tokens(index) },
  event_key: `event-${index}`,
  api_group_key: CLIENT,
  failed: index === 2 ? 1 : 0,
})
const ofManager = (index: number) => ({
  ...{ ...shared(index), ...tokens(index) },
  event_hash: sha(`event ${index}`),
  timestamp_ms: START + index * 1_000,
  resolved_model: 'gpt-5.5',
  source: 'ann***@example.com',
  source_hash: sha(EMAIL),
  api_key_hash: sha(CLIENT),
  failed: index === 2 ? 1 : 0,
  raw_json: '{"body":"sk-client-secret-one"}',
})
const details = (indexes: readonly number[]) =>
  indexes.map((index) => ({ ...shared(index), failed: index === 2, tokens: tokens(index) }))
const treeOf = (indexes: readonly number[]) => ({
  version: 1,
  exported_at: '2026-10-21T00:00:00Z',
  usage: { apis: { [CLIENT]: { models: { 'gpt-5.5': { details: details(indexes) } } } } },
})

const ALL = [0, 1, 2, 3, 4, 5]
beforeAll(() => {
  createKeeperFile(at('keeper.db'), ALL.slice(2).map(ofKeeper), {
    archived: ALL.slice(0, 2).map(ofKeeper),
  })
  createManagerFile(at('manager.db'), ALL.map(ofManager))
  const lines = ALL.map((index) => `${JSON.stringify(ofManager(index))}\n`).join('')
  writeFileSync(at('manager.jsonl'), lines)
  writeFileSync(at('manager.jsonl.gz'), gzipSync(lines))
  writeFileSync(at('export.json'), JSON.stringify(treeOf(ALL)))
  writeFileSync(at('export.json.gz'), gzipSync(JSON.stringify(treeOf(ALL))))
})

const FILES = [
  ['keeper', 'keeper.db'],
  ['cpa-manager-plus', 'manager.db'],
  ['cpa-manager-plus', 'manager.jsonl'],
  ['cpa-manager-plus', 'manager.jsonl.gz'],
  ['usage-export', 'export.json'],
  ['usage-export', 'export.json.gz'],
] as const

let count = 0
/** A store that knows the account, and has recorded these requests itself. */
async function aStore(own: readonly number[]): Promise<string> {
  count += 1
  const path = at(`${count}.db`)
  const store = await openHistory(path)
  const texts = [['codex-ann.json', textOfAccount({ account: ann, evidence: null })]] as const
  const memory = { source: 'live', gatewayUp: true, listedAt: START, texts } as const
  await store.quota.record({ points: [], readings: [], changes: [] }, memory)
  const directory = {
    ...noAccounts,
    ownerByIndex: new Map([['0123456789abcdef', { accountKey: 'ann-key', provider: 'codex' }]]),
  }
  const answer = new TextEncoder().encode(JSON.stringify(own.map(ofProxy)))
  const decoded = decodeQueue(answer, { receivedAt: epochMs(START + 60_000), directory })
  if (decoded !== null) await store.usageOf(DEFAULT_UPSTREAM).record(decoded.batch)
  await store.close()
  return path
}
const take = async (store: string, from: string, ...rest: readonly string[]) => {
  const result = await cli(['import-history', '--state-db', store, '--from', from, ...rest], {
    cwd: folder,
  })
  expect(`${result.stdout}${result.stderr}`).not.toMatch(/secret|ann@/)
  return result
}
const firstLine = ({ stdout }: { readonly stdout: string }) => stdout.split('\n')[0]
/** Sums of a store by account, client and model. */
async function sumsOf(location: string) {
  const usage = await openUsage({ location, retentionDays: 90 })
  const between = { from: epochMs(START - 86_400_000), to: epochMs(START + 86_400_000) }
  const groups = []
  for (const group of ['account', 'api', 'model'] as const) {
    const question = { range: 'custom', between, group, metric: 'tokens', top: 20 } as const
    groups.push((await usage.series(question, between.to)).breakdown.rows)
  }
  await usage.close()
  return JSON.stringify(groups)
}

describe('import-history --from', () => {
  it.each(FILES)('%s takes %s once', async (program, file) => {
    const [store, whole] = [await aStore([]), await aStore(ALL)]

    const first = await take(store, program, file)
    const second = await take(store, program, file)

    expect([first, second].map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(first.stdout).not.toContain('does not know')
    expect(firstLine(first)).toBe('6 records read: 6 taken, 0 known before, 0 refused.')
    expect(firstLine(second)).toBe('6 records read: 0 taken, 6 known before, 0 refused.')
    // The others keep no clients, or no vendors and so no classes of tokens.
    if (program === 'keeper') expect(await sumsOf(store)).toBe(await sumsOf(whole))
  })

  it('says what it has left out and cannot place', async () => {
    const { stdout } = await take(at('new.db'), 'keeper', 'keeper.db')

    expect(stdout).toBe(
      [
        '6 records read: 6 taken, 0 known before, 0 refused.',
        'of accounts that the store does not know: 6 of those taken, as "other"',
        'left out: 2 rows of model_price_settings',
        '',
      ].join('\n'),
    )
    // The service has meanwhile seen its accounts.
    expect(firstLine(await take(at('new.db'), 'usage-export', 'export.json'))).toContain(
      ' 0 taken,',
    )
  })

  it('takes --upstream for the proxy, and only with --from', async () => {
    const argv = ['import-history', '--state-db', await aStore([]), 'keeper.db', '--upstream']
    const refused = await cli([...argv, 'tokyo'], { cwd: folder })
    const wrong = await cli([...argv, 'To kyo', '--from', 'keeper'], { cwd: folder })
    const taken = await cli([...argv, 'tokyo', '--from', 'keeper'], { cwd: folder })

    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--upstream goes with --from/),
    })
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--upstream takes a name/),
    })
    // The account is of another proxy.
    expect(taken.stdout).toContain('does not know: 6 of those taken')
  })

  it('reads what comes through a pipe', async () => {
    const argv = ['import-history', '--state-db', 'pipe.db', '--from', 'cpa-manager-plus', '-']
    const stdin = () => createReadStream(at('manager.jsonl.gz'))

    expect(firstLine(await cli(argv, { cwd: folder, stdin }))).toContain('6 taken')
  })
})

describe('import-history --from refuses', () => {
  beforeAll(() => {
    createKeeperFile(at('old.db'), [], { without: 'event_key' })
    writeFileSync(at('empty'), '')
    writeFileSync(at('text'), 'no record of anybody\n')
    writeFileSync(at('other.jsonl'), '{"a":1}\n{"a":2}\n')
    const json = JSON.stringify(treeOf(ALL))
    writeFileSync(at('half.json'), json.slice(0, -20))
    const gzip = gzipSync(`${JSON.stringify(ofManager(1))}\n`.repeat(9_000))
    writeFileSync(at('half.gz'), gzip.subarray(0, gzip.length / 2))
    writeFileSync(
      at('damaged.db'),
      Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5_000, 7)]),
    )
  })

  it.each<readonly [code: number, program: string, file: string, text: RegExp]>([
    [2, 'other', 'keeper.db', /--from: one of keeper, cpa-manager-plus, usage-export is needed/],
    [1, 'keeper', 'none.db', /none\.db cannot be read/],
    [1, 'keeper', '.', /is not a regular file/],
    [
      1,
      'keeper',
      'manager.db',
      /manager\.db is not a file of keeper: usage_events has no column event_key/,
    ],
    [
      1,
      'keeper',
      'old.db',
      /old\.db is not a file of keeper: usage_events has no column event_key/,
    ],
    [1, 'keeper', 'manager.jsonl', /manager\.jsonl is not a SQLite database/],
    [1, 'keeper', 'damaged.db', /damaged\.db cannot be read \(SQLITE_\w+\)/],
    [1, 'keeper', '1.db', /1\.db is not a file of keeper: it has no table usage_events/],
    [1, 'cpa-manager-plus', 'keeper.db', /usage_events has no column event_hash/],
    [1, 'cpa-manager-plus', 'empty', /empty is not a file of cpa-manager-plus: it is empty/],
    [
      1,
      'cpa-manager-plus',
      'text',
      /text is not a file of cpa-manager-plus: line 1 is not a JSON object/,
    ],
    [1, 'cpa-manager-plus', 'other.jsonl', /other\.jsonl is .*: line 1 has no event_hash/],
    [1, 'cpa-manager-plus', 'half.gz', /half\.gz: the gzip is damaged or ends in the middle/],
    [1, 'usage-export', 'half.json', /half\.json is not a whole usage export of the proxy/],
    [1, 'usage-export', 'manager.jsonl', /manager\.jsonl is not a whole usage export/],
    [1, 'usage-export', 'keeper.db', /keeper\.db is a SQLite database, not a JSON document/],
  ])('%i: %s %s', async (code, program, file, text) => {
    const store = await aStore([0])
    const before = await sumsOf(store)

    const result = await take(store, program, file)

    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' })
    expect(result.stderr).toMatch(text)
    expect(result.stderr.trim().split('\n')).toHaveLength(1)
    expect(await sumsOf(store)).toBe(before)
  })
})
