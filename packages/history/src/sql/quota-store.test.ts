import { epochMs, plusMs } from '@svc/core'
import type { AskedAccount } from '@svc/core/account'
import { textOfAccount, textOfLogin } from '@svc/core/pool'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { anAccount } from '@svc/core/testing'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openHistory } from '../open-history.ts'
import { type EmptyStore, emptyStores } from '../testing/empty-stores.ts'
import { changeAt, pointAt, readingAt } from '../testing/pool-course.ts'
import { always } from './connection.ts'
import type { HistoryStore } from './history-store.ts'
import { pruneCourse } from './retention.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const HOUR_MS = 3_600_000
const NOTHING = { points: [], readings: [], changes: [] }

const anAsked = (authName: string, changes: Partial<AskedAccount> = {}): AskedAccount => ({
  upstream: DEFAULT_UPSTREAM,
  authName,
  accountKey: 'key',
  provider: 'claude',
  verdict: null,
  waitUntil: null,
  evidence: { probeFailure: null, refusedLogin: null, askedAt: NOW },
  ...changes,
})

const stores = emptyStores()
afterAll(stores.remove)

describe.each(stores.engines)('the course of the pool in $engine', ({ whyNot, create }) => {
  let store: EmptyStore
  let history: HistoryStore
  let quota: HistoryStore['quota']
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
    history = await openHistory(store.location)
    quota = history.quota
  })
  afterEach(() => history?.close())

  it('gives points back oldest first, and keeps the first of two at one time', async () => {
    await quota.record({ ...NOTHING, points: [pointAt(NOW, 2), pointAt(NOW - HOUR_MS, 1)] })
    await quota.record({ ...NOTHING, points: [pointAt(NOW, 9)] })
    const usable = { ...pointAt(NOW + 1, 3), usableUnits: 2.5 }
    await quota.record({ ...NOTHING, points: [usable] })

    expect(await quota.points(plusMs(NOW, -HOUR_MS))).toEqual([
      pointAt(NOW - HOUR_MS, 1),
      pointAt(NOW, 2),
      usable,
    ])
    expect(await quota.points(plusMs(NOW, -HOUR_MS + 1))).toEqual([pointAt(NOW, 2), usable])
  })

  it('adds up what was used of each window by the hour, from its first point on', async () => {
    const points = [
      pointAt(NOW - 1, 4),
      pointAt(NOW, 1),
      pointAt(NOW + HOUR_MS - 1, 2),
      pointAt(NOW + 5, 8, 'week'),
    ]
    await quota.record({ ...NOTHING, points })
    const hour = NOW / HOUR_MS

    expect(await quota.burnHours(NOW)).toEqual(
      new Map([
        ['5h', { unitsByHour: new Map([[hour, 3]]), firstAt: NOW }],
        ['week', { unitsByHour: new Map([[hour, 8]]), firstAt: NOW + 5 }],
      ]),
    )
    expect(await quota.burnHours(plusMs(NOW, HOUR_MS))).toEqual(new Map())
  })

  it('knows the newest reading of every account and window', async () => {
    const week = { ...readingAt(NOW - 7, 'ana', 20), windowId: 'week', resetAt: NOW } as const
    const readings = [
      readingAt(NOW, 'ana', 40),
      readingAt(NOW - 5, 'ana', 60),
      readingAt(NOW - 9, 'bob', 10),
      week,
    ]
    await quota.record({ ...NOTHING, readings })

    expect(await quota.latestReadings()).toEqual([
      readingAt(NOW, 'ana', 40),
      week,
      readingAt(NOW - 9, 'bob', 10),
    ])
  })

  it('keeps the newest 500 changes, newest first', async () => {
    await quota.record({ ...NOTHING, changes: [changeAt(NOW + 1_000), changeAt(NOW)] })
    await quota.record({
      ...NOTHING,
      changes: Array.from({ length: 499 }, (_, index) => changeAt(NOW + 1 + index)),
    })

    const kept = await quota.changes(1_000)
    expect(kept).toHaveLength(500)
    expect(kept[0]).toEqual(changeAt(NOW + 1_000))
    expect(kept.at(-1)).toEqual(changeAt(NOW + 1))
  })

  it('passes over windows and changes that this version does not know', async () => {
    await quota.record({
      points: [pointAt(NOW, 1)],
      readings: [readingAt(NOW, 'ana', 40)],
      changes: [changeAt(NOW)],
    })
    await store.change(sql`UPDATE ${store.tables.capacityPoints} SET window_id = 'day'`)
    await store.change(sql`UPDATE ${store.tables.quotaSamples} SET window_id = 'day'`)
    await store.change(sql`UPDATE ${store.tables.recentChanges} SET detail = '{"code":"made_up"}'`)

    expect(await quota.points(NOW)).toEqual([])
    expect(await quota.latestReadings()).toEqual([])
    expect(await quota.changes(9)).toEqual([])
  })

  it('forgets every point before the cut, and the readings a few at a time', async () => {
    const readings = [1, 2, 3].map((age) => readingAt(NOW - age, 'ana', age))
    await quota.record({
      points: [pointAt(NOW - 1, 1), pointAt(NOW, 2)],
      readings: [...readings, readingAt(NOW, 'ana', 40)],
      changes: [],
    })
    const prune = () => pruneCourse(store.db, always, { before: NOW, rowsMax: 2 })

    expect(await prune()).toBe(true)
    expect(await prune()).toBe(true)
    expect(await prune()).toBe(false)
    expect(await store.rows(sql`SELECT percent FROM ${store.tables.quotaSamples}`)).toEqual([[40]])
    expect(await quota.points(epochMs(0))).toEqual([pointAt(NOW, 2)])
  })

  it('stores more rows than one statement has', async () => {
    const points = Array.from({ length: 250 }, (_, age) => pointAt(NOW - age, age))
    await quota.record({ ...NOTHING, points })

    expect(await quota.points(epochMs(0))).toEqual(points.toReversed())
  })

  it('keeps the last query of each file at each proxy, and gives it back after it was opened again', async () => {
    const evidence = {
      probeFailure: { at: NOW, kind: 'throttled', httpStatus: 429, inARow: 2 },
      refusedLogin: { inARow: 2, firstAt: NOW, lastAt: NOW, httpStatus: 401 },
      askedAt: NOW,
      vendorPlan: { plan: 'pro', askedAt: NOW },
      vendorPause: { until: plusMs(NOW, 5), inARow: 3, reason: 'throttled' },
    } as const
    const verdict = {
      origin: 'record',
      at: NOW,
      message: { kind: 'usage_limit', resetsAt: plusMs(NOW, 9), observedAt: NOW },
      retryAt: null,
      inARow: 1,
    } as const
    const bob = anAsked('bob', { evidence, verdict, waitUntil: plusMs(NOW, 7) })
    const elsewhere = anAsked('bob', { upstream: 'tokyo' })
    const ana = anAsked('an\u0301a/"x"')
    await quota.keepAsked([anAsked('bob'), ana], NOW)
    await quota.keepAsked([elsewhere, anAsked('a\0b')], NOW)
    await quota.keepAsked([bob], NOW)
    await history.close()
    history = await openHistory(store.location)

    expect(await history.quota.asked()).toEqual([ana, bob, elsewhere])
  })

  it('passes over queries that this version does not know, and forgets old ones', async () => {
    await quota.keepAsked([anAsked('old')], plusMs(NOW, -1))
    await quota.keepAsked([anAsked('ana'), anAsked('bob')], NOW)
    await store.change(
      sql`UPDATE ${store.tables.askedAccounts} SET value = '{"made":"up"}' WHERE file = 'ana'`,
    )
    await pruneCourse(store.db, always, { before: NOW, rowsMax: 2 })

    expect(await quota.asked()).toEqual([anAsked('bob')])
  })

  it('keeps what each target was told, and gives it back after it was opened again', async () => {
    await quota.rememberTold('phone', '{"told":1}')
    await quota.rememberTold('team', '{"told":2}')
    await quota.rememberTold('phone', '{"told":3}')
    await quota.record(NOTHING, { ...standing, texts: [] })
    await history.close()
    history = await openHistory(store.location)

    expect(await history.quota.told()).toEqual(
      new Map([
        ['phone', '{"told":3}'],
        ['team', '{"told":2}'],
      ]),
    )
  })

  it('records all of it or nothing', async () => {
    const broken = { ...readingAt(NOW, 'ana', 40), percent: null as never }
    const memory = { ...standing, texts: [] }

    await expect(
      quota.record(
        { points: [pointAt(NOW, 1)], readings: [broken], changes: [changeAt(NOW)] },
        memory,
      ),
    ).rejects.toThrow()
    expect(await quota.points(NOW)).toEqual([])
    expect(await quota.remembered()).toBeNull()

    // Its account was not stored either.
    await quota.record({ ...NOTHING, readings: [readingAt(NOW, 'ana', 40)] })
    expect(await quota.latestReadings()).toEqual([readingAt(NOW, 'ana', 40)])
  })

  const standing = { listedAt: 5_000, source: 'live', gatewayUp: true } as const
  const textOf = (name: string) => textOfAccount({ account: anAccount(name), evidence: null })

  describe('how it was last seen', () => {
    const remember = (
      texts: readonly (readonly [string, string | null])[],
      changes: Partial<Parameters<HistoryStore['quota']['record']>[1]> = {},
    ) => quota.record(NOTHING, { ...standing, texts, ...changes })
    const titles = async () =>
      (await quota.remembered())?.accounts.map(({ account }) => account.title)

    it('is null before it was kept', async () => {
      expect(await quota.remembered()).toBeNull()
    })

    it('is the newest standing, with the accounts that have not gone', async () => {
      await remember([
        ['a', textOf('ana')],
        ['b', textOf('bea')],
      ])
      const newest = { listedAt: 6_000, source: 'stale', gatewayUp: null } as const
      await remember([['a', null]], newest)

      expect(await quota.remembered()).toMatchObject(newest)
      expect(await titles()).toEqual(['bea@example.com'])
    })

    it('keeps logins with an identity apart from accounts, until they are taken away', async () => {
      const login = { identity: 'cafe', accountKey: '0123456789abcdef', seenAt: epochMs(0) }
      await remember([['a', textOf('ana')]], { logins: [['cafe', textOfLogin(login)]] })
      await remember([['a', null]])
      expect(await quota.remembered()).toEqual({ ...standing, accounts: [], logins: [login] })

      await remember([], { logins: [['cafe', null]] })
      expect(await quota.remembered()).toEqual({ ...standing, accounts: [] })
    })

    it('leaves out an account that this version cannot read', async () => {
      await remember([
        ['a', '{"account":{}}'],
        ['b', 'no JSON'],
        ['c', textOf('cleo')],
      ])

      expect(await titles()).toEqual(['cleo@example.com'])
    })

    it('is null when its standing cannot be read', async () => {
      await remember([['a', textOf('ana')]])
      await store.change(sql`UPDATE ${store.tables.meta} SET value = 'no JSON' WHERE name = 'pool'`)

      expect(await quota.remembered()).toBeNull()
    })

    it('takes no other row of the store for an account', async () => {
      await remember([['a', textOf('ana')]])
      for (const name of ['account!', 'accounts', 'accoun', 'Account a'])
        await store.change(
          sql`INSERT INTO ${store.tables.meta} (name, value) VALUES (${name}, ${textOf('not me')})`,
        )

      expect(await titles()).toEqual(['ana@example.com'])
    })

    it('is kept although a file has a name that no database stores', async () => {
      await remember([
        ['a\0b', textOf('nul')],
        ["it's 𝟙", textOf('ana')],
      ])

      expect(await titles()).toEqual(['ana@example.com'])
    })
  })
})
