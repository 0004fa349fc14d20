import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail, UsageGroup } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openHistory } from '../open-history.ts'
import { type EmptyStore, emptyStores } from '../testing/empty-stores.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'
import { storedSeries } from '../usage/stored-usage.ts'
import { addCounts, setMeta } from './meta.ts'
import { clientsByApiName, everything, membersOf, usageTables } from './usage-tables.ts'

const DAY_MS = 86_400_000
const startOfDay = (at: number) => Math.floor(at / DAY_MS) * DAY_MS
const OWN = {
  members: async () => [],
  buckets: async () => [],
  times: async () => [],
  measured: async () => ({ databaseBytes: 0 }),
}

const stores = emptyStores()
afterAll(stores.remove)

describe.each(stores.engines)('in $engine', ({ whyNot, create }) => {
  let store: EmptyStore
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
  })

  const tables = (labels: Readonly<Record<string, string>> = {}) =>
    usageTables(
      store.db,
      {
        labels: new Map(Object.entries(labels)),
        prices: { own: { rates: [], multipliers: [] }, refused: new Map() },
      },
      OWN,
    )
  const extent = async () => (await tables()).extent
  const earliest = async () => (await extent()).earliest()
  const addUsage = async (...details: readonly UsageDetail[]) => {
    const history = await openHistory(store.location)
    await history.usageOf(DEFAULT_UPSTREAM).record(aBatch(details))
    await history.close()
  }
  const addGap = (from: EpochMs, to: EpochMs) =>
    store.change(
      sql`INSERT INTO ${store.tables.gaps} (upstream_id, from_ms, to_ms, reason) VALUES (1, ${from}, ${to}, 'batch_lost')`,
    )

  it('adds up all usage of a chart once', async () => {
    const sources: string[] = []
    const read = {
      ...(await tables()),
      members: async ({ source }: { readonly source: string }) => {
        sources.push(source)
        return []
      },
    }
    const chart = { range: '24h', group: 'model', metric: 'tokens', top: 8 } as const
    await storedSeries(read, chart, NOW)

    expect(sources.toSorted()).toEqual(['model', 'total'])
  })

  describe('usage', () => {
    it('that a store has none of begins and ends nowhere', async () => {
      expect([await earliest(), await (await extent()).latest(NOW)]).toEqual([null, null])
    })

    it('begins with its first row, although the day of that began before', async () => {
      await addUsage(aDetail(60), aDetail(5))

      expect(await earliest()).toBe(NOW - 60_000)
    })

    it('begins with the day of which only the sum is left', async () => {
      const old = aDetail(1, { at: plusMs(NOW, -5 * DAY_MS), key: 9n })
      await addUsage(old, aDetail(5))
      expect(await earliest()).toBe(old.at)
      await store.change(sql`DELETE FROM ${store.tables.usage} WHERE at_ms = ${old.at}`)
      expect(await earliest()).toBe(startOfDay(old.at))
      await store.change(sql`DELETE FROM ${store.tables.usage}`)

      expect(await earliest()).toBe(startOfDay(old.at))
    })

    it('begins before the cut as long as what is older has not gone', async () => {
      const old = aDetail(1, { at: plusMs(NOW, -30 * DAY_MS) })
      await addUsage(old, aDetail(5))
      await setMeta(store.db, { cut_ms: NOW })

      expect(await earliest()).toBe(old.at)
    })

    it('ends with the newest row before now, however long ago that was', async () => {
      await addUsage(aDetail(60), aDetail(0), aDetail(-60))
      const { latest } = await extent()

      expect(await latest(NOW)).toBe(NOW - 60_000)
      expect(await latest(plusMs(NOW, 1))).toBe(NOW)
      expect(await latest(plusMs(NOW, 40 * DAY_MS))).toBe(NOW + 60_000)
    })
  })

  describe('the time that was observed', () => {
    it('is none before the proxy was read', async () => {
      expect(await (await extent()).history(NOW)).toMatchObject({
        observedSeconds: 0,
        gapSeconds: 0,
      })
    })

    it.each([
      { days: 3, observedDays: 3 },
      { days: 30, observedDays: 30 },
      { days: 31, observedDays: 30 },
      { days: -1, observedDays: 0 },
    ])('is $observedDays d where the proxy was first read $days d ago', async (first) => {
      await setMeta(store.db, { first_poll_ms: plusMs(NOW, -first.days * DAY_MS) })

      const { observedSeconds } = await (await extent()).history(NOW)
      expect(observedSeconds).toBe(first.observedDays * 86_400)
    })

    it('has gaps only where it was observed', async () => {
      await setMeta(store.db, { first_poll_ms: plusMs(NOW, -DAY_MS) })
      await addGap(plusMs(NOW, -DAY_MS - 5000), plusMs(NOW, -DAY_MS + 3000))
      await addGap(plusMs(NOW, -2000), plusMs(NOW, 9000))

      expect((await (await extent()).history(NOW)).gapSeconds).toBe(5)
    })

    it('is watched since the first poll, or since what was handed over then', async () => {
      await setMeta(store.db, { first_poll_ms: plusMs(NOW, -30_000) })
      await addGap(plusMs(NOW, -2000), NOW)
      await addUsage(aDetail(60))

      expect(await (await extent()).watch(plusMs(NOW, -DAY_MS))).toEqual({
        since: plusMs(NOW, -60_000),
        missed: [{ from: plusMs(NOW, -2000), to: NOW }],
      })
    })
  })

  it('a store says what it counted, and when it was written last', async () => {
    await setMeta(store.db, { last_write_ms: NOW - 7, cut_ms: epochMs(5) })
    await addCounts(store.db, { duplicate: 4, missing: 2 })

    expect(await (await extent()).history(NOW)).toMatchObject({
      lastWriteAt: NOW - 7,
      duplicates: 4,
      missing: 2,
    })
    expect((await tables()).rowsSince).toBe(5)
  })

  it.each([
    [undefined, null],
    [3, 5],
    [9, 9],
  ])(
    'no request before the cut waits to be summed by rate, with a mark of %s',
    async (mark, until) => {
      await setMeta(store.db, {
        cut_ms: 5,
        ...(mark === undefined ? {} : { rates_until_ms: mark }),
      })

      expect((await tables()).ratesUntil).toBe(until)
    },
  )

  describe('the members', () => {
    beforeEach(async () => {
      await setMeta(store.db, { fingerprint_key: '00ff' })
      for (const [id, key, title] of [
        [1, 'key-of-ann', 'Ann'],
        [2, 'key-of-bob', ''],
      ])
        await store.change(
          sql`INSERT INTO ${store.tables.accounts} (id, instance, key, title) VALUES (${id}, '', ${key}, ${title})`,
        )
      for (const [table, id, name] of [
        ['apiNames', 3, 'sk-1'],
        ['apiNames', 4, 'sk-2'],
        ['models', 7, 'gpt'],
        ['upstreams', 7, 'tokyo'],
        ['providers', 7, 'codex'],
      ] as const)
        await store.change(
          sql`INSERT INTO ${store.tables[table]} (id, name) VALUES (${id}, ${name})`,
        )
    })
    const named = async (group: UsageGroup, labels: Readonly<Record<string, string>> = {}) =>
      Object.fromEntries(await (await tables(labels)).named(group))

    it('of the total are one', async () => {
      expect(await named('total')).toEqual({ 0: { id: 'total', label: 'Total' } })
    })

    it('that are accounts are called by their title, or by their key until they have one', async () => {
      expect(await named('account')).toEqual({
        1: { id: 'key-of-ann', label: 'Ann' },
        2: { id: 'key-of-bob', label: 'key-of-bob' },
      })
    })

    it('that are models, endpoints, proxies or providers are known by their name', async () => {
      expect(await named('model')).toEqual({ 7: { id: 'gpt', label: 'gpt' } })
      expect(await named('api')).toMatchObject({ 3: { id: 'sk-1' }, 4: { id: 'sk-2' } })
      expect(await named('upstream')).toMatchObject({ 7: { id: 'tokyo' } })
      expect(await named('provider')).toMatchObject({ 7: { id: 'codex' } })
    })

    it('that are clients share a label, and never show the key they use', async () => {
      const team = { id: 'team', label: 'team' }
      expect(await named('client', { 'sk-1': 'team', 'sk-2': 'team' })).toEqual({
        3: team,
        4: team,
      })

      const clients = await named('client', { 'sk-1': 'team' })
      expect(clients).toMatchObject({ 3: team })
      expect(clients[4]?.id).toMatch(/^client-/)
      expect(JSON.stringify(clients)).not.toContain('sk-')
    })
  })
})

const CLIENTS = { labels: new Map([['sk-1', 'Team']]), fingerprintKey: '00ff' }

describe('the members of a group', () => {
  it('are called by their label, under what they stand for', () => {
    const members = membersOf('account', [[3, 'key-of-ann', 'Ann']], CLIENTS)

    expect([...members]).toEqual([[3, { id: 'key-of-ann', label: 'Ann' }]])
    expect([...everything.values()]).toEqual([{ id: 'total', label: 'Total' }])
  })

  it('that are clients have a label or a fingerprint, never their key', () => {
    const members = membersOf(
      'client',
      [
        [1, 'sk-1', 'sk-1'],
        [2, 'sk-2', 'sk-2'],
      ],
      CLIENTS,
    )

    expect(members.get(1)).toEqual({ id: 'Team', label: 'Team' })
    expect(members.get(2)?.id).toMatch(/^client-[0-9a-f]{8}$/)
  })

  it('that are endpoints keep the name the proxy gives them', () => {
    expect(membersOf('api', [[1, 'sk-1', 'sk-1']], CLIENTS).get(1)?.id).toBe('sk-1')
  })

  it('that are providers have a name of their own', () => {
    expect(membersOf('provider', [[1, 'codex', 'codex']], CLIENTS).get(1)?.label).not.toBe('codex')
  })
})

const KEY = '0f'.repeat(32)
const none: ReadonlyMap<string, string> = new Map()
const idOf = (apiName: string, key = KEY) => clientsByApiName([apiName], none, key).get(apiName)?.id

describe('the clients of a proxy', () => {
  it('go by their label, which several may share', () => {
    const labels = new Map([
      ['sk-1', 'build'],
      ['sk-2', 'build'],
    ])

    expect([...clientsByApiName(['sk-1', 'sk-2'], labels, KEY).values()]).toEqual([
      { id: 'build', label: 'build' },
      { id: 'build', label: 'build' },
    ])
  })

  it('go by a fingerprint without a label, the same each time and another under another key', () => {
    expect(idOf('sk-1')).toMatch(/^client-[0-9a-f]{8}$/)
    expect(idOf('sk-1')).toBe(idOf('sk-1'))
    expect(idOf('sk-1', 'f0'.repeat(32))).not.toBe(idOf('sk-1'))
    expect(idOf('sk-1')).not.toContain('sk-1')
  })

  it('are told apart by more digits where the first eight are shared', () => {
    // These two were found by counting up: under this key their digests begin with the same eight digits.
    const names = ['sk-47412', 'sk-61998', 'sk-1']
    const clients = clientsByApiName(names, none, KEY)
    const ids = names.map((name) => clients.get(name)?.id ?? '')

    expect(new Set(ids).size).toBe(3)
    expect(new Set(ids.slice(0, 2).map((id) => id.slice(0, 'client-'.length + 8))).size).toBe(1)
    expect(ids.map((id) => id.length - 'client-'.length)).toEqual([16, 16, 8])
  })

  it('each have a name, labelled or not', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string()),
        fc.array(fc.tuple(fc.string(), fc.string())),
        (names, labels) => {
          const clients = clientsByApiName(names, new Map(labels), KEY)

          expect([...clients.keys()].sort()).toEqual([...names].sort())
        },
      ),
    )
  })
})
