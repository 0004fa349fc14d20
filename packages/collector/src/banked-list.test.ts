import { plusMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { aFakeAccount, type FakeAccount } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { expiriesIn } from './providers/codex/descriptor.ts'
import type { ChangedOptions } from './testing/live-source-options.ts'
import { aWorld, endWorlds, HOUR, MINUTE, type World } from './testing/live-world.ts'

afterEach(endWorlds)

const DAY = 24 * HOUR
const inDays = (days: number) => plusMs(NOW, days * DAY)

type Banked = Partial<NonNullable<FakeAccount['bankedResets']>> | null
const account = (name: string, banked: Banked = {}) =>
  aFakeAccount({
    name,
    bankedResets: banked && { expiresAt: [inDays(3), inDays(20)], list: 'answered', ...banked },
  })
/** A world whose account list is read seldom, because its days are long. */
const aSlowWorld = (accounts: readonly FakeAccount[], quota: ChangedOptions['quota'] = {}) =>
  aWorld({ accounts, options: { upstream: { refreshSeconds: 300 }, quota } })
const listCalls = (world: World, of?: FakeAccount) =>
  world.fake.vendorCalls.filter(
    ({ kind, account: asked }) => kind === 'banked_list' && (of === undefined || asked === of),
  )
describe('the list of banked resets', () => {
  it('follows the quota query of an account that holds some, with its login, by GET alone', async () => {
    const [ann, none, silent] = [
      account('ann'),
      account('none', { expiresAt: [] }),
      account('silent', null),
    ]
    const world = aSlowWorld([ann, none, silent])
    await world.clock.advance(HOUR)

    expect(listCalls(world)).toMatchObject([{ account: ann, accountHeader: ann.accountId }])
    expect(new Set(world.fake.vendorCalls.map(({ method, url }) => `${method} ${url}`))).toEqual(
      new Set([
        'GET https://chatgpt.com/backend-api/wham/usage',
        'GET https://chatgpt.com/backend-api/wham/rate-limit-reset-credits',
      ]),
    )
    expect(world.evidenceOf(ann)?.bankedResets).toMatchObject({
      count: 2,
      expiresAt: [inDays(3), inDays(20)],
      listQuery: { count: 2, outcome: 'answered' },
    })
    expect(world.evidenceOf(none)?.bankedResets).toMatchObject({ count: 0, expiresAt: [] })
    expect(world.evidenceOf(silent)).not.toHaveProperty('bankedResets')
    expect(JSON.stringify([...world.latest().evidenceByAuthName.values()])).not.toContain(
      'reset-credit-',
    )
  })

  it('is asked for again when the count has changed, else once a day', async () => {
    const ann = account('ann')
    const world = aSlowWorld([ann])
    await world.clock.advance(HOUR)
    if (ann.bankedResets !== null) ann.bankedResets.expiresAt = [inDays(20)]
    await world.clock.advance(HOUR)

    expect(listCalls(world)).toHaveLength(2)
    expect(world.evidenceOf(ann)?.bankedResets).toMatchObject({ expiresAt: [inDays(20)] })
    await world.clock.advance(22 * HOUR)
    expect(listCalls(world)).toHaveLength(2)
    await world.clock.advance(3 * HOUR)
    expect(listCalls(world)).toHaveLength(3)
  })

  it.each([
    [8, 600, MINUTE],
    [60, 30, 2 * MINUTE],
  ])(
    'of %i accounts is asked for one at a time, with %i queries a minute %i ms apart',
    async (count, quotaProbesPerMinute, apartMs) => {
      const accounts = Array.from({ length: count }, (_, index) => account(`a${index}`))
      const world = aSlowWorld(accounts, { quotaProbesPerMinute })
      await world.clock.advance(HOUR)

      const asked = listCalls(world)
      expect(new Set(asked.map((call) => call.account)).size).toBe(asked.length)
      expect(asked.length).toBeGreaterThan(7)
      for (const [index, { at }] of asked.slice(1).entries())
        expect(at - (asked[index]?.at ?? 0)).toBeGreaterThanOrEqual(apartMs)
    },
  )

  it.each([
    ['refused', 6 * HOUR],
    ['hanging', 6 * HOUR],
    ['missing', DAY],
  ] as const)(
    'that is %s is asked for again after %i ms, and says nothing else',
    async (list, waitMs) => {
      const ann = account('ann', { list })
      const world = aSlowWorld([ann])
      await world.clock.advance(waitMs - HOUR)

      expect(listCalls(world)).toHaveLength(1)
      expect(world.evidenceOf(ann)).toMatchObject({
        probeFailure: null,
        refusedLogin: null,
        bankedResets: { count: 2, expiresAt: [] },
      })
      expect(world.latest().sources.direct_quota).toMatchObject({
        outcome: { kind: 'ok' },
        failuresInARow: 0,
        lastGood: { value: { failed: 0 } },
      })
      await world.clock.advance(2 * HOUR)
      expect(listCalls(world)).toHaveLength(2)
    },
  )

  it('that hangs holds the next account for ten seconds', async () => {
    const accounts = ['ann', 'bob', 'cem'].map((name) => account(name, { list: 'hanging' }))
    const limits = { quotaProbeConcurrency: 1, quotaProbesPerMinute: 600 }
    const world = aSlowWorld(accounts, limits)
    await world.clock.advance(10 * MINUTE)

    const [asked] = listCalls(world)
    const calls = world.fake.vendorCalls
    const next = calls[calls.findIndex(({ kind }) => kind === 'banked_list') + 1]
    expect((next?.at ?? 0) - (asked?.at ?? 0)).toBe(10_000)
  })

  it.each([{ quotaProbeProviders: ['claude'] }, { quotaTransport: 'off' as const }])(
    'is not asked for with %o',
    async (quota) => {
      const world = aSlowWorld([account('ann')], quota)
      await world.clock.advance(HOUR)

      expect(world.fake.vendorCalls).toEqual([])
    },
  )
})

describe('an answer with a list', () => {
  const credit = (id: unknown, days: number, status: unknown = 'available') => ({
    ...{ id, status, reset_type: 'rate_limit', expires_at: new Date(inDays(days)).toISOString() },
  })

  it.each([
    ['two', { credits: [credit('b', 9), credit('a', 2)] }, [2, 9]],
    ['two at one time', { credits: [credit('a', 2), credit('b', 2)] }, [2, 2]],
    ['one twice', { credits: [credit('a', 2), credit('a', 2)] }, [2]],
    [
      'one without an expiry',
      { credits: [{ id: 'a', status: 'available', expires_at: null }] },
      [],
    ],
    [
      'spent ones',
      { credits: [credit('a', 2, 'redeemed'), credit('b', 3, null), credit('c', 4, 7)] },
      [],
    ],
    [
      'times as numbers',
      { credits: [{ id: 'a', status: 'Available', expiresAt: inDays(2) / 1000 }] },
      [2],
    ],
    ['no credits', { available_count: 2 }, []],
    ['credits that are null', { availableCount: 2, credits: null }, []],
    ['odd credits', { credits: [null, 3, 'x', [], {}] }, []],
    [
      '150, of which 10 are kept',
      { credits: Array.from({ length: 150 }, (_, i) => credit(i, 150 - i)) },
      [51, 52, 53, 54, 55, 56, 57, 58, 59, 60],
    ],
  ])('has %s', (_, document, days) => {
    expect(expiriesIn(document)).toEqual(days.map(inDays))
  })

  it.each([null, 'text', [], {}, { error: 'no' }])('is none: %o', (document) => {
    expect(expiriesIn(document)).toBeNull()
  })
})
