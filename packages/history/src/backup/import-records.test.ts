import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { Recorder, RecorderRow, UsageDetail } from '@svc/core/usage'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openHistory } from '../open-history.ts'
import { ownDatabases } from '../testing/own-databases.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { exportBackup } from './export-backup.ts'
import type { Progress } from './format/backup-format.ts'
import { importBackup } from './import-backup.ts'
import { importRecords } from './import-records.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const folder = mkdtempSync(join(tmpdir(), 'svc-import-records-'))
const databases = ownDatabases()
afterAll(async () => {
  await databases.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** A request as a recorder of these tests writes it on a line. */
interface Line {
  readonly id: number
  readonly second: number
  readonly account: string
  readonly client: string
  readonly tokens: number
}
const detailOf = ({ id, second, account, client, tokens }: Line): UsageDetail => ({
  at: plusMs(NOW, -second * 1_000),
  key: BigInt(id) << 33n,
  accountKey: account,
  apiName: client,
  model: 'model',
  tokens,
  failed: tokens === 0,
  provider: 'codex',
  classes: null,
})
const recorder: Recorder = {
  form: 'rows',
  tables: ['lines'],
  fields: ['id', 'second', 'account', 'client', 'tokens'],
  required: ['id', 'second'],
  exportsLines: true,
  reader:
    ({ now }) =>
    (row: RecorderRow) => {
      const isRefused = row.tokens === -1
      return {
        receivedAt: now,
        details: isRefused ? [] : [detailOf(row as unknown as Line)],
        quarantined: isRefused ? [{ reason: 'bad_tokens', shape: '' }] : [],
        saturatedCount: 0,
      }
    },
}

let count = 0
const next = (name: string) => {
  count += 1
  return join(folder, `${count}-${name}`)
}
const fileOf = (lines: readonly object[]) => {
  const path = next('lines.jsonl')
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return path
}
const take = (
  statePath: string,
  file: string,
  program = 'one',
  stop?: AbortSignal,
  onProgress?: Progress,
) =>
  importRecords({
    ...{ statePath, file, program, recorder, upstream: null, now: NOW },
    ...(stop === undefined ? {} : { stop }),
    ...(onProgress === undefined ? {} : { onProgress }),
  })
const exported = async (statePath: string) => {
  const output = next('backup.json')
  await exportBackup({ statePath, output, exportedAt: 'then', appVersion: '0' })
  return output
}
const content = async (statePath: string) =>
  readFileSync(await exported(statePath), 'utf8').replace(/"schemaVersion":\d+/, '')

const isFull = process.env.TEST_SIZE === 'full'
const why = whyNoPostgres()
describe.each([
  {
    engine: 'SQLite',
    whyNot: null,
    runs: isFull ? 15 : 4,
    location: async () => next('history.db'),
  },
  {
    engine: 'PostgreSQL',
    whyNot: why,
    runs: isFull ? 3 : 1,
    location: () => databases.nextAddress(),
  },
])('records of another program in $engine', ({ whyNot, runs, location }) => {
  let identity: string | null = null
  beforeEach((context) => {
    if (whyNot !== null) context.skip(whyNot)
  })

  /** A store with these requests of its own, and with the same identity as all others here. */
  const aStore = async (own: readonly Line[] = []) => {
    if (identity === null) {
      const first = next('identity.db')
      await (await openHistory(first)).close()
      identity = await exported(first)
    }
    const statePath = await location()
    await importBackup({ statePath, file: identity, now: NOW })
    const store = await openHistory(statePath)
    // The keys of our own records are of another kind.
    const details = own.map((line) => ({ ...detailOf(line), key: BigInt(line.id) + 1n }))
    await store
      .usageOf(DEFAULT_UPSTREAM)
      .record({ receivedAt: NOW, details, quarantined: [], saturatedCount: 0 })
    await store.close()
    return statePath
  }

  const lines = fc.uniqueArray(
    fc.record({
      id: fc.integer({ min: 0, max: 10_000 }),
      second: fc.constantFrom(0, 40, 4_000, 90_000, 200_000),
      account: fc.constantFrom('ann', 'other:codex'),
      client: fc.constantFrom('sk-one', 'sk-two'),
      tokens: fc.integer({ min: 0, max: 1 }),
    }),
    { selector: ({ id }) => id, minLength: 1, maxLength: 60 },
  )

  it('come in once, whole or in parts, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(lines, fc.nat(), async (all, cut) => {
        const [whole, parts] = [await aStore(), await aStore()]
        const middle = cut % all.length
        const [first, second] = [all.slice(0, middle), all.slice(middle)].map((part) =>
          part.length === 0 ? null : fileOf(part),
        )

        const once = await take(whole, fileOf(all.toReversed()))
        const twice = await take(whole, fileOf(all))
        for (const file of [second, first, second]) if (file != null) await take(parts, file)

        expect(once).toMatchObject({ read: all.length, taken: all.length, known: 0 })
        expect(twice).toMatchObject({ read: all.length, taken: 0, known: all.length })
        expect(await content(parts)).toBe(await content(whole))
      }),
      { numRuns: runs },
    )
  })

  it('are not doubled where the store, or a third program, has recorded them too', async () => {
    await fc.assert(
      fc.asyncProperty(lines, fc.nat(), async (all, cut) => {
        const own = all.slice(0, cut % (all.length + 1))
        const store = await aStore(own)
        const file = fileOf(all)

        const first = await take(store, file)
        const again = await take(store, file)
        const other = await take(store, file, 'another')

        expect(first).toMatchObject({ taken: all.length - own.length, known: own.length })
        expect([again.taken, other.taken]).toEqual([0, 0])
      }),
      { numRuns: runs },
    )
  })

  it('are complete after an interruption and another run', async () => {
    const all = Array.from({ length: 12_500 }, (_, id) => ({
      ...{ id, second: (id * 37) % 9_000, account: 'ann', client: 'sk-one', tokens: id % 90 },
    }))
    const [file, whole, killed] = [fileOf(all), await aStore(), await aStore()]
    await take(whole, file)
    // Each of the last 3,500 has a twin among the others, at times in the middle of a transaction.
    const twins = await take(await aStore(all.slice(0, 9_000)), file)
    expect(twins).toMatchObject({ taken: 3_500, known: 9_000 })
    for (const isRead of [false, true]) {
      const stop = new AbortController()
      const end: Progress = ({ total }) => (total !== null) === isRead && stop.abort()
      await expect(take(killed, file, 'one', stop.signal, end)).rejects.toThrow(
        'interrupted: import the same file again to go on',
      )
    }
    const rest = await take(killed, file)

    expect(rest.known).toBeGreaterThan(0)
    expect(rest.taken + rest.known).toBe(all.length)
    expect(await content(killed)).toBe(await content(whole))
  })
})

it('count what they refuse, with the first place, and what falls into gaps', async () => {
  const statePath = next('gaps.db')
  const store = await openHistory(statePath)
  const gap = {
    from: plusMs(NOW, -60_000),
    to: plusMs(NOW, -30_000),
    reason: 'batch_lost',
  } as const
  await store.usageOf(DEFAULT_UPSTREAM).recordGap(gap)
  await store.close()
  const line = { account: 'ann', client: 'sk-one', tokens: 1 }
  const path = next('odd.jsonl')
  const texts = [
    ...[59, 45, 30, 29, 61].map((second, id) => JSON.stringify({ ...line, id, second })),
    '',
    '{"id": 9',
    JSON.stringify({ ...line, id: 10 }),
    JSON.stringify({ ...line, id: 11, second: 1, tokens: -1 }),
    JSON.stringify({ ...line, id: 0, second: 59 }),
  ]
  writeFileSync(path, texts.join('\r\n'))

  expect(await take(statePath, path)).toEqual({
    read: 9,
    taken: 5,
    known: 1,
    refused: [
      { reason: 'bad_shape', count: 2, first: 'line 7' },
      { reason: 'bad_tokens', count: 1, first: 'line 9' },
    ],
    unknownAccounts: 0,
    inGaps: 2,
    leftOut: [],
  })
})
