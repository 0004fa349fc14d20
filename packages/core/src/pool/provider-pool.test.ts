import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../evaluate.ts'
import type { Account } from '../facts/account.ts'
import type { QuotaSample, WindowReading } from '../facts/reading.ts'
import { fileKeyOf } from '../facts/upstream.ts'
import { answerOf } from '../health/answer.ts'
import {
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  fromNow,
  NOW,
} from '../testing/builders.ts'
import { poolOfProviders } from './pool-at-upstream.ts'
import {
  allAccountsOf,
  bankedTotalOf,
  capacitiesOf,
  countedAt,
  otherPools,
  primaryPool,
  sharedWindowsOf,
  uniqueAccounts,
  upstreamsByAccountKey,
} from './provider-pool.ts'
import { rankPool } from './rank-pool.ts'
import { noTrends } from './runway.ts'

const PROVIDERS = ['codex', 'claude', 'xai', 'kimi', 'kimi-ai', 'antigravity', 'kiro'] as const
type Members = readonly (readonly [Account, ReturnType<typeof evidenceOf> | null])[]

const member = (provider: string, name: string, fiveHour: number | null, week: number) =>
  [
    anAccount(`${provider}-${name}`, {
      provider,
      claimedPlan: { codex: 'pro', claude: 'max_20x' }[provider] ?? null,
    }),
    evidenceOf([aQuotaSample({ fiveHour, week })]),
  ] as const

const anyMembers = fc
  .array(
    fc.record({
      provider: fc.constantFrom(...PROVIDERS),
      fiveHour: fc.option(fc.integer({ min: 0, max: 100 })),
      week: fc.integer({ min: 0, max: 100 }),
    }),
    { maxLength: 30 },
  )
  .map(
    (rows): Members =>
      rows.map(({ provider, fiveHour, week }, index) =>
        member(provider, `${index}`, fiveHour, week),
      ),
  )

it('counts the accounts whose plan is no part of the capacity', () => {
  const plans = [null, 'free', 'plus', 'pro']
  const { untrackedCount } = aSnapshot(
    plans.map((claimedPlan, index) => [anAccount(`ana-${index}`, { claimedPlan }), null] as const),
  )

  expect(untrackedCount).toBe(2)
})

describe('a pool of several providers', () => {
  it('has each provider as if it were alone', () => {
    fc.assert(
      fc.property(anyMembers, (members) => {
        const whole = aSnapshot(members)
        for (const pool of whole.pools) {
          const alone = aSnapshot(members.filter(([{ provider }]) => provider === pool.provider))
          const { accounts, capacity, routableCount, blockedCount, nextRoutableAt } = alone
          expect(pool).toMatchObject({
            capacity,
            routableCount,
            blockedCount,
            nextRoutableAt,
            furtherCapacity: alone.furtherCapacity,
            topScore: alone.topScore,
          })
          expect(pool.accounts.map(({ selector, score }) => [selector.authName, score])).toEqual(
            accounts.map(({ selector, score }) => [selector.authName, score]),
          )
        }
        expect(allAccountsOf(whole)).toHaveLength(members.length)
      }),
      { numRuns: 50 },
    )
  })

  it.each([
    { why: 'Codex, however few', counts: { codex: 1, claude: 5 }, home: 'codex' },
    { why: 'the one with most', counts: { claude: 1, kimi: 2, xai: 1 }, home: 'kimi' },
    { why: 'of as many the first in order', counts: { kimi: 2, claude: 2 }, home: 'claude' },
    { why: 'one without a row too', counts: { kiro: 3, claude: 2 }, home: 'kiro' },
    { why: 'Codex in a pool without accounts', counts: {}, home: 'codex' },
  ])('means $why where none is named', ({ counts, home }) => {
    const members = Object.entries(counts).flatMap(([provider, count]) =>
      Array.from({ length: count }, (_, index) => member(provider, `${index}`, 50, 50)),
    )
    const snapshot = aSnapshot(members)

    expect(snapshot.provider).toBe(home)
    expect(primaryPool(snapshot.pools, snapshot.evaluatedAt).provider).toBe(home)
    expect(otherPools(snapshot).map(({ provider }) => provider)).not.toContain(home)
  })

  it('stands in the order of the table, the rest by name', () => {
    const names = ['zed', 'kimi', 'alpha', 'claude', 'codex', 'xai', 'antigravity', 'kimi-ai']
    const snapshot = aSnapshot(names.map((provider) => member(provider, 'a', 50, 50)))

    expect(snapshot.pools.map(({ provider }) => provider)).toEqual([
      'codex',
      'claude',
      'xai',
      'kimi',
      'kimi-ai',
      'antigravity',
      'alpha',
      'zed',
    ])
  })
})

describe('the pool of some providers', () => {
  const snapshot = aSnapshot([
    member('codex', 'a', 50, 50),
    member('claude', 'b', 90, 90),
    member('kimi', 'c', 10, 10),
    member('kimi', 'd', 0, 10),
  ])

  it('of one is its own', () => {
    expect(poolOfProviders(snapshot, ['claude'])).toMatchObject({
      provider: 'claude',
      unit: 'pro',
      routableCount: 1,
      capacity: { week: { trackedUnits: 20, knownUnits: 18 } },
    })
  })

  it('of one without an account is empty', () => {
    expect(poolOfProviders(snapshot, ['xai'])).toMatchObject({
      provider: 'xai',
      accounts: [],
      routableCount: 0,
      topScore: 0,
    })
  })

  it('of several adds accounts up and nothing else, each provider best first', () => {
    const several = poolOfProviders(snapshot, ['kimi', 'claude'])

    expect(several).toMatchObject({
      provider: 'kimi,claude',
      unit: 'mixed',
      routableCount: 2,
      blockedCount: 1,
      capacity: { '5h': { trackedUnits: 0 }, week: { trackedUnits: 0 } },
    })
    expect(several.accounts.map(({ account }) => account.provider)).toEqual([
      'claude',
      'kimi',
      'kimi',
    ])
    expect(poolOfProviders(snapshot, 'all')).toMatchObject({ provider: 'all', routableCount: 3 })
  })
})

const disabled = { operatorDisabled: true }
const { accounts } = aSnapshot([
  [anAccount('alice', { upstream: 'tokyo' }), null],
  [anAccount('alice', { upstream: 'berlin', ...disabled }), null],
  [anAccount('bob', { upstream: 'berlin' }), null],
])

const standing = (name: string) => ({
  name,
  source: 'live' as const,
  available: true,
  sampledAt: NOW,
  gatewayUp: true,
  version: null,
  clockSkewSeconds: null,
  skipped: [],
})

it('an account is seen at every proxy that lists it, in the order of their names', () => {
  const seenAt = upstreamsByAccountKey(accounts)

  expect(seenAt.get(anAccount('alice').selector.accountKey)).toEqual(['berlin', 'tokyo'])
  expect(seenAt.get(anAccount('bob').selector.accountKey)).toEqual(['berlin'])
  expect(seenAt.size).toBe(2)
})

it('each proxy counts its own files, and those of them that may be used', () => {
  const counted = countedAt(['tokyo', 'berlin', 'paris'].map(standing), accounts)

  expect(counted).toMatchObject([
    { name: 'tokyo', fileCount: 1, routableCount: 1 },
    { name: 'berlin', fileCount: 2, routableCount: 1 },
    { name: 'paris', fileCount: 0, routableCount: 0 },
  ])
})

it('an account that several proxies list is counted once, at the proxy of its best file', () => {
  const named = (files: typeof accounts) =>
    files.map(({ account }) => `${account.upstream} ${account.selector.authName}`)
  const [best, ...others] = accounts
  if (best === undefined) throw new Error('accounts were given')
  const twin = { ...best, account: { ...best.account, upstream: 'paris' } }

  expect(named(uniqueAccounts([best, twin, ...others]))).toEqual(
    named(accounts).filter((name) => !name.startsWith('berlin codex-alice')),
  )
  expect(uniqueAccounts([best, best])).toHaveLength(2)
})

it('counts banked resets once per account, by the newest reading through any file', () => {
  const selector = { ...anAccount('ann').selector, authName: 'codex-ann-again.json' }
  const bankedResets = (count: number, ageSeconds: number, expiresIn: readonly number[] = []) => ({
    bankedResets: {
      count,
      sampledAt: fromNow(-ageSeconds),
      expiresAt: expiresIn.map(fromNow),
    },
  })
  const old = aQuotaSample({ ageSeconds: 60 })
  const snapshot = aSnapshot([
    [anAccount('ann'), evidenceOf([old], bankedResets(3, 60, [100]))],
    [
      anAccount('ann', { selector }),
      evidenceOf([aQuotaSample()], bankedResets(2, 0, [900, 50_000])),
    ],
    [anAccount('bob'), evidenceOf([old], bankedResets(1, 60, [700]))],
    [anAccount('cem'), evidenceOf([old], bankedResets(0, 60))],
    [anAccount('dee'), evidenceOf([old])],
  ])

  expect(bankedTotalOf(allAccountsOf(snapshot))).toEqual({
    accountCount: 2,
    count: 3,
    lapsesAt: fromNow(700),
  })
  expect(
    snapshot.accounts
      .filter((one) => one.selector.accountKey === selector.accountKey)
      .map((one) => one.bankedResets?.count),
  ).toEqual([2, 2])
  expect(bankedTotalOf(allAccountsOf(aSnapshot([[anAccount('dee'), null]])))).toBeNull()
})

it('counts banked resets of an account at two proxies once', () => {
  const holding = (count: number, ageSeconds: number) =>
    evidenceOf([aQuotaSample({ ageSeconds })], {
      bankedResets: { count, sampledAt: fromNow(-ageSeconds), expiresAt: [] },
    })
  const files = [
    [anAccount('ann', { upstream: 'east' }), holding(2, 60)],
    [anAccount('ann', { upstream: 'west' }), holding(3, 0)],
    [anAccount('bob', { upstream: 'west' }), holding(1, 0)],
  ] as const
  const ranked = rankPool(
    files.map(([account]) => account),
    new Map(files.map(([account, evidence]) => [fileKeyOf(account), evidence])),
    defaultPolicy,
    NOW,
  )

  expect(bankedTotalOf(ranked)).toEqual({ accountCount: 2, count: 4, lapsesAt: null })
})

const aSample = (windows: readonly WindowReading[]) =>
  aQuotaSample({}, { windows, ...(windows.length === 0 && { reportsNone: true }) })
const reading = (id: string, percent: number): WindowReading => ({
  id,
  periodSeconds: null,
  percent,
  resetAt: fromNow(86_400),
})
const poolOf = (provider: string, ...samples: readonly (QuotaSample | null)[]) =>
  aSnapshot(
    samples.map((sample, index) => [
      anAccount(`a${index}`, { provider }),
      sample === null ? null : evidenceOf([sample]),
    ]),
  )
const unitsOf = (pool: ReturnType<typeof poolOf>) =>
  capacitiesOf(pool).map(({ windowId, knownUnits, trackedUnits, unknownUnits }) => [
    windowId,
    knownUnits,
    trackedUnits,
    unknownUnits,
  ])

it('an account without a window of the pool counts in it by the one it has', () => {
  const pool = poolOf('xai', aSample([reading('week', 50)]), aSample([reading('month', 20)]))

  expect(unitsOf(pool)).toEqual([
    ['week', 0.7, 2, 0],
    ['month', 0.7, 2, 0],
  ])
})

it.each([
  ['no account has two', [['week'], ['month']], [['month', 'week']]],
  ['a third one is never read', [['week'], ['month'], []], [['month', 'week']]],
  ['one account has both', [['week'], ['week', 'month']], []],
  [
    'each account has two',
    [
      ['5h', 'week'],
      ['5h', 'month'],
    ],
    [['month', 'week']],
  ],
])('windows are one quantity where %s', (_, accounts, groups) => {
  const pool = poolOf(
    'xai',
    ...accounts.map((ids) =>
      ids.length === 0 ? null : aSample(ids.map((id, index) => reading(id, 20 + 10 * index))),
    ),
  )

  const shared = new Set([...sharedWindowsOf(pool).values()].map((ids) => ids.toSorted().join()))
  expect([...shared]).toEqual(groups.map((ids) => ids.join()))
  for (const [id, [first = '']] of sharedWindowsOf(pool)) {
    const figures = (one: string) => capacitiesOf(pool).find(({ windowId }) => windowId === one)
    expect(figures(id)?.knownUnits).toBe(figures(first)?.knownUnits)
  }
})

it('an account that was not read yet is unknown in every window', () => {
  const pool = poolOf('xai', aSample([reading('month', 20)]), null)

  expect(unitsOf(pool).map(([id, , , unknown]) => [id, unknown])).toContainEqual(['month', 1])
})

it('a pool whose vendor reports no limits of accounts has no windows, nothing unknown, and can work', () => {
  const pool = poolOf('antigravity', aSample([]), aSample([reading('gemini:week', 0)]))

  expect(unitsOf(pool)).toEqual([])
  expect(pool.capacity['5h']).toMatchObject({ trackedUnits: 0, unknownUnits: 0 })
  expect(pool.resetColumns.map(({ rows }) => rows)).toEqual([[], []])
  expect(answerOf(pool, noTrends).code).toBe('go')
})

it('the same is unknown of a pool that was not read yet', () => {
  const pool = poolOf('antigravity', null)

  expect(pool.capacity['5h'].unknownUnits).toBe(1)
  expect(answerOf(pool, noTrends).code).toBe('not_ready')
})
