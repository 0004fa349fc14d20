import { type EpochMs, epochMs, plusMs } from '@svc/core'
import type { UsageBatch } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmptyStore, emptyStores } from '../testing/empty-stores.ts'
import { aBatch, aDetail, NOW, someDetails } from '../testing/stored-usage.ts'
import { createDictionaries } from './dictionary.ts'
import {
  addBatch,
  interruptedPop,
  prepareBatch,
  quarantine,
  refuseNul,
  tallyOf,
} from './usage-rows.ts'

const NEVER = epochMs(0)
const boundsAt = (cut: EpochMs) => ({ cut, ratesUntil: null })

const stores = emptyStores()
let store: EmptyStore
afterAll(stores.remove)

const parts = () => ({ names: createDictionaries(store.db, 'instance'), rows: store.engine.rows })
const add = async (batch: UsageBatch, cut = NEVER) => {
  const prepared = await prepareBatch(parts(), batch, { upstream: 'tokyo', cut })
  return store.db.transaction('write', () => addBatch(store.engine, prepared, boundsAt(cut)))
}
const countsOf = ({ stored, expired }: Awaited<ReturnType<typeof addBatch>>) => ({
  stored: stored.length,
  expired,
})
const countRows = () => store.rows(sql`SELECT count(*) FROM ${store.tables.usage}`)
const minutes = () => {
  const { sums, ofTier } = store.tables.sumsOfTier(60)
  return store.rows(
    sql`SELECT CAST(sum(requests) AS integer) FROM ${sums} WHERE ${ofTier} AND grouping = 0`,
  )
}

describe.each(stores.engines)('requests in $engine', ({ engine, whyNot, create }) => {
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
  })

  it('are stored with the numbers of their names', async () => {
    await add(aBatch([aDetail(1, { tokens: 7, failed: true })]))

    expect(
      await store.rows(
        sql`SELECT at_ms, a.key AS account, n.name AS api, m.name AS model, tokens, CAST(failed AS integer) AS failed FROM ${store.tables.usage}
         JOIN ${store.tables.accounts} a ON a.id = account_id JOIN ${store.tables.apiNames} n ON n.id = api_name_id
         JOIN ${store.tables.models} m ON m.id = model_id`,
      ),
    ).toEqual([[NOW - 1000, 'account-1', 'key-1', 'model', 7, 1]])
  })

  it.each(['usage', 'sums'] as const)(
    'that a trigger on %s drops are a failure',
    async (dropped) => {
      await add(aBatch([aDetail(1)]))
      const table = dropped === 'usage' ? store.tables.usage : store.tables.sumsOfTier(60).sums
      if (engine === 'sqlite')
        await store.change(
          sql`CREATE TRIGGER thief BEFORE INSERT ON ${table} BEGIN SELECT RAISE(IGNORE); END`,
        )
      else {
        const thief = sql`svc_quota_monitor.thief()`
        await store.change(
          sql`CREATE FUNCTION ${thief} RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
        )
        await store.change(
          sql`CREATE TRIGGER thief BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${thief}`,
        )
      }

      for (const details of [[aDetail(2)], someDetails(40), someDetails(140)])
        await expect(add(aBatch(details))).rejects.toMatchObject({ code: 'not_permitted', engine })
      expect(await countRows()).toEqual([[1]])
      expect((await add(aBatch([aDetail(1)]))).stored).toEqual([])
    },
  )

  it.each([70, 210])('of which some are stored already are told apart: %i', async (length) => {
    const all = someDetails(length)
    const known = all.filter((_, number) => number > 30 && number % 7 === 0)
    await add(aBatch(known))

    const { stored } = await add(aBatch(all))
    expect(new Set(stored.map(({ detail }) => detail))).toEqual(
      new Set(all.filter((detail) => !known.includes(detail))),
    )
    const more = someDetails(length * 2)
    expect((await add(aBatch(more))).stored).toHaveLength(length)
    expect((await add(aBatch(someDetails(length * 3).slice(length * 2)))).stored).toHaveLength(
      length,
    )
    expect(await countRows()).toEqual([[length * 3]])
  })

  it('are stored with their proxy, their provider, the classes of their tokens and their times', async () => {
    const classes = { tokensIn: 1, tokensCached: 2, tokensWritten: 3, tokensOut: 4 }
    const times = { latencyMs: 90, firstTokenMs: 2 ** 40 }
    await add(aBatch([aDetail(1, { provider: 'claude', classes, ...times })]))

    expect(
      await store.rows(
        sql`SELECT s.name AS upstream, p.name AS provider, tokens_in, tokens_cached, tokens_written, tokens_out, latency_ms, first_token_ms
         FROM ${store.tables.usage} JOIN ${store.tables.upstreams} s ON s.id = upstream_id
         JOIN ${store.tables.providers} p ON p.id = provider_id`,
      ),
    ).toEqual([['tokyo', 'claude', 1, 2, 3, 4, 90, engine === 'sqlite' ? 2 ** 40 : 2 ** 31 - 1]])
  })

  it('that do not say so are stored with unknowns, never with zeros', async () => {
    await add(aBatch([aDetail(1)]))

    expect(
      await store.rows(
        sql`SELECT provider_id, tokens_in, tokens_cached, tokens_written, tokens_out, latency_ms, first_token_ms FROM ${store.tables.usage}`,
      ),
    ).toEqual([[null, null, null, null, null, null, null]])
  })

  it.each([
    { accountKey: 'account-1', provider: null, counted: 'codex' },
    { accountKey: 'other:gemini', provider: null, counted: 'gemini' },
    { accountKey: 'account-1', provider: 'claude', counted: 'claude' },
  ])('of $accountKey by $provider are counted for $counted', async ({ counted, ...detail }) => {
    await add(aBatch([aDetail(1, detail)]))

    const { sums, ofTier } = store.tables.sumsOfTier(60)
    expect(
      await store.rows(
        sql`SELECT p.name FROM ${sums} JOIN ${store.tables.providers} p ON p.id = member_id WHERE ${ofTier} AND grouping = 5`,
      ),
    ).toEqual([[counted]])
  })

  it('that are there already are neither stored nor summed again', async () => {
    await add(aBatch([aDetail(1), aDetail(2), aDetail(2)]))

    expect(countsOf(await add(aBatch([aDetail(2), aDetail(3)])))).toEqual({ stored: 1, expired: 0 })
    expect(await minutes()).toEqual([[3]])
  })

  it('keep the first of two with one key, in the sums as in the rows', async () => {
    const batch = aBatch([aDetail(1, { tokens: 5 }), aDetail(1, { tokens: 900 })])

    expect(countsOf(await add(batch))).toEqual({ stored: 1, expired: 0 })
    expect(await store.rows(sql`SELECT tokens FROM ${store.tables.usage}`)).toEqual([[5]])
    expect(
      await store.rows(sql`SELECT DISTINCT tokens FROM ${store.tables.sumsOfTier(60).sums}`),
    ).toEqual([[5]])
  })

  it('of one instant are two where their keys differ, as far apart as 64 bits can be', async () => {
    const twins = [2n ** 63n - 1n, -(2n ** 63n), 0n].map((key) => aDetail(1, { key }))

    expect(countsOf(await add(aBatch(twins)))).toEqual({ stored: 3, expired: 0 })
    expect(countsOf(await add(aBatch(twins)))).toEqual({ stored: 0, expired: 0 })
    expect(
      await store.rows(sql`SELECT CAST(key AS text) FROM ${store.tables.usage} ORDER BY key`),
    ).toEqual([['-9223372036854775808'], ['0'], ['9223372036854775807']])
  })

  it('before the cut are counted, and teach the dictionaries nothing', async () => {
    const cut = plusMs(NOW, -5000)
    const old = aDetail(6, { model: 'forgotten' })

    expect(countsOf(await add(aBatch([aDetail(5), old]), cut))).toEqual({ stored: 1, expired: 1 })
    expect(await store.rows(sql`SELECT name FROM ${store.tables.models}`)).toEqual([['model']])
  })

  it.each([
    { what: 'forwards', prepared: 0, moved: -5000 },
    { what: 'backwards', prepared: -5000, moved: -9000 },
  ])('are counted by the later cut where it moves $what meanwhile', async ({ prepared, moved }) => {
    const batch = aBatch([aDetail(3), aDetail(6)])
    const cutAt = (age: number) => (age === 0 ? NEVER : plusMs(NOW, age))
    const one = await prepareBatch(parts(), batch, { upstream: 'tokyo', cut: cutAt(prepared) })

    expect(countsOf(await addBatch(store.engine, one, boundsAt(cutAt(moved))))).toEqual({
      stored: 1,
      expired: 1,
    })
    expect(await countRows()).toEqual([[1]])
  })

  it('of a transaction that failed are in no sum, before or after', async () => {
    const batch = aBatch([aDetail(1)])
    const one = await prepareBatch(parts(), batch, { upstream: 'tokyo', cut: NEVER })
    await expect(
      store.db.transaction('write', async () => {
        await addBatch(store.engine, one, boundsAt(NEVER))
        throw new Error('disk')
      }),
    ).rejects.toThrow('disk')
    expect(await countRows()).toEqual([[0]])

    await add(aBatch([aDetail(3)]))
    expect(await minutes()).toEqual([[1]])
  })
})

describe.each(stores.engines)('quarantined records in $engine', ({ whyNot, create }) => {
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
  })

  it('are the newest two hundred, of one batch and of several', async () => {
    const refuse = (first: number, count: number, at = NOW) =>
      quarantine(
        store.db,
        Array.from({ length: count }, (_, index) => ({
          reason: 'bad_shape' as const,
          shape: `{${first + index}}`,
        })),
        { upstreamId: 1, at },
      )
    const table = store.tables.quarantine
    const ends = sql`SELECT count(*), min(at_ms), max(at_ms), (SELECT shape FROM ${table} ORDER BY id LIMIT 1) FROM ${table}`
    await refuse(0, 201)
    expect(await store.rows(ends)).toEqual([[200, NOW, NOW, '{1}']])

    await refuse(500, 2, plusMs(NOW, 1))
    expect(await store.rows(ends)).toEqual([[200, NOW, NOW + 1, '{3}']])
  })
})

it.each([{ accountKey: 'a\0' }, { apiName: '\0' }, { model: 'm\0m' }, { provider: '\0p' }])(
  'a detail with a NUL in a name is refused, and the others stay: %j',
  (names) => {
    const [bad, good] = [aDetail(1, names), aDetail(2)]
    const known = { reason: 'bad_shape', shape: '7' } as const
    const { details, quarantined } = refuseNul(aBatch([bad, good], { quarantined: [known] }))

    expect(details).toEqual([good])
    expect(quarantined).toEqual([known, { reason: 'bad_name', shape: '{}' }])
  },
)

it('a batch of good names is the same', () => {
  const batch = aBatch([aDetail(1, { apiName: "O'Neil \u{1F600}" })])
  expect(refuseNul(batch)).toBe(batch)
})

it('what was neither stored nor too late was there already', () => {
  const quarantined = [{ reason: 'bad_shape', shape: '{}' } as const]
  const batch = aBatch(
    [1, 2, 3, 4, 5].map((number) => aDetail(number)),
    { quarantined },
  )

  expect(tallyOf(batch, { stored: 2, expired: 1 })).toEqual({
    seen: 6,
    stored: 2,
    duplicate: 2,
    quarantined: 1,
    expired: 1,
  })
})

it.each([
  { lastPollAt: epochMs(3), from: 3 },
  { lastPollAt: null, from: 9 },
])('a pop that was interrupted lost what came since $lastPollAt', ({ lastPollAt, from }) => {
  expect(interruptedPop(epochMs(9), lastPollAt)).toEqual({
    from,
    to: 9,
    reason: 'stopped_before_commit',
  })
})
