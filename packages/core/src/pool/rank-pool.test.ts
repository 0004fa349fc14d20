import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../evaluate.ts'
import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import { anAccount, aQuotaSample, evidenceOf, NOW } from '../testing/builders.ts'
import { accountTitlesOf, distinctTitles, rankAccounts, rankedPool, rankPool } from './rank-pool.ts'

const sampleWith = (fiveHour: number, week = 60) => evidenceOf([aQuotaSample({ fiveHour, week })])
const alice = anAccount('alice')
const bob = anAccount('bob')
const carol = anAccount('carol')
const evidence = new Map([
  [alice.selector.authName, sampleWith(30)],
  [bob.selector.authName, sampleWith(90)],
  [carol.selector.authName, sampleWith(0)],
])
const rank = (accounts: readonly ReturnType<typeof anAccount>[]) =>
  rankPool(accounts, evidence, defaultPolicy, NOW)
const titles = (accounts: ReturnType<typeof rank>) => accounts.map(({ title }) => title)

describe('a ranked pool', () => {
  it('has the best first and the blocked last', () => {
    const ranked = rank([carol, alice, bob])

    expect(titles(ranked)).toEqual(['bob@example.com', 'alice@example.com', 'carol@example.com'])
    expect(ranked.map(({ routable }) => routable)).toEqual([true, true, false])
  })

  it('holds an account nothing is known of', () => {
    const [only] = rank([anAccount('new')])

    expect(only?.windows.map(({ state }) => state)).toEqual(['unknown', 'unknown'])
  })

  it('is empty without accounts', () => {
    expect(rank([])).toEqual([])
  })
})

describe('several files of one account', () => {
  const second = anAccount('alice-again', {
    title: alice.title,
    selector: { authName: 'second.json', authIndex: 'x', accountKey: alice.selector.accountKey },
  })

  it('are called by titles of their own', () => {
    expect(new Set(titles(rank([alice, second]))).size).toBe(2)
  })
})

it('an account whose requests failed lately ranks behind its equal', () => {
  const same = sampleWith(80)
  const ranked = rankedPool(
    {
      accounts: [alice, bob],
      evidenceByAuthName: new Map([alice, bob].map(({ selector }) => [selector.authName, same])),
      recentUsage: new Map([
        [alice.selector.accountKey, { requests: 500, tokens: 0, failed: 400 }],
      ]),
    },
    defaultPolicy,
    NOW,
  )

  expect(titles(ranked)).toEqual(['bob@example.com', 'alice@example.com'])
  expect(ranked.map(({ failureRatio }) => failureRatio)).toEqual([null, 0.8])
  expect(ranked[1]?.score).toBeLessThan(ranked[0]?.score ?? 0)
})

const titled = (
  authName: string,
  title: string,
  plan = 'plus',
  authIndex = `${authName}-index`,
) => ({
  selector: { authName, authIndex, accountKey: 'key' },
  title,
  plan,
})

it.each([
  ['titles that differ stay as they are', [titled('1', 'ann'), titled('2', 'bob')], ['ann', 'bob']],
  [
    'equal titles get the plan',
    [titled('1', 'ann', 'plus'), titled('2', 'ann', 'prolite')],
    ['ann · Plus', 'ann · Prolite'],
  ],
  [
    'equal title and plan get the start of the index',
    [
      titled('1', 'ann', 'plus', '9cdfdac34a12ffa0'),
      titled('2', 'ann', 'plus', '304eae936bcd2c5e'),
    ],
    ['ann · Plus · 9cdf', 'ann · Plus · 304e'],
  ],
  [
    'only those that still share a title get more',
    [
      titled('1', 'ann', 'plus', 'aaaa1'),
      titled('2', 'ann', 'plus', 'bbbb1'),
      titled('3', 'ann', 'team', 'cccc1'),
    ],
    ['ann · Plus · aaaa', 'ann · Plus · bbbb', 'ann · Team'],
  ],
  [
    'where the index tells nothing the file name does',
    [titled('1', 'ann', 'plus', ''), titled('2', 'ann', 'plus', '')],
    ['ann · Plus · 1', 'ann · Plus · 2'],
  ],
  [
    'a label that looks like a completed title does not clash with one',
    [
      titled('1', 'ann', 'plus', 'aaaa'),
      titled('2', 'ann', 'team', 'bbbb'),
      titled('3', 'ann · Plus', 'pro', 'cccc'),
    ],
    ['ann · Plus · aaaa', 'ann · Team', 'ann · Plus · Pro · cccc'],
  ],
] as const)('%s', (_, accounts, expected) => {
  const titles = distinctTitles(accounts)

  expect(accounts.map((one) => titles.get(one) ?? one.title)).toEqual(expected)
})

describe('the titles of accounts by key', () => {
  const file = (authName: string, accountKey: string, more: Partial<Account> = {}) =>
    anAccount(authName, {
      title: 'ann@example.com',
      claimedPlan: 'plus',
      selector: { authName, authIndex: `${authName}0123`, accountKey },
      ...more,
    })
  it.each<readonly [string, readonly Account[], Readonly<Record<string, string>>]>([
    ['one alone keeps its own', [file('a', '1')], { 1: 'ann@example.com' }],
    [
      'of one address the plan tells them apart, whoever the vendor is',
      [
        file('a', '1'),
        file('b', '2', { claimedPlan: 'pro' }),
        file('c', '3', { provider: 'claude', claimedPlan: 'max_5x' }),
      ],
      {
        1: 'ann@example.com · Plus',
        2: 'ann@example.com · Pro',
        3: 'ann@example.com · Max 5x',
      },
    ],
    [
      'of one plan the index does',
      [file('a', '1'), file('b', '2')],
      { 1: 'ann@example.com · Plus · a012', 2: 'ann@example.com · Plus · b012' },
    ],
    [
      'several files of one account have one',
      [file('a', '1'), file('b', '1')],
      { 1: 'ann@example.com' },
    ],
    [
      'an account at two proxies has one, and another of its address at one of them has its own',
      [
        file('a', '1', { upstream: 'tokyo' }),
        file('a', '1', { upstream: 'berlin' }),
        file('a', '2', { upstream: 'berlin', claimedPlan: 'team' }),
      ],
      { 1: 'ann@example.com · Plus', 2: 'ann@example.com · Team' },
    ],
  ])('%s', (_, accounts, expected) => {
    const evaluated = rank(accounts)

    expect(Object.fromEntries(accountTitlesOf(evaluated))).toEqual(expected)
    expect(accountTitlesOf([...evaluated].reverse())).toEqual(accountTitlesOf(evaluated))
  })
})

it('every account gets a title of its own, whatever the order', () => {
  const anyTitled = fc.record({
    title: fc.constantFrom('ann', 'bob', 'ann · Plus', 'ann · Team · aaaa', ''),
    plan: fc.constantFrom('plus', 'team', 'unknown'),
    authIndex: fc.constantFrom('', 'aaaa', 'aaaabbbb', 'cccc'),
  })
  fc.assert(
    fc.property(fc.array(anyTitled, { maxLength: 12 }), (rows) => {
      const accounts = rows.map((row, index) =>
        titled(`file-${index}.json`, row.title, row.plan, row.authIndex),
      )
      const titles = distinctTitles(accounts)

      expect(new Set(accounts.map((one) => titles.get(one) ?? one.title)).size).toBe(
        accounts.length,
      )
      expect(distinctTitles([...accounts].reverse())).toEqual(titles)
    }),
  )
})

const ranked = (
  authName: string,
  changes: Partial<{
    routable: boolean
    score: number
    resets: number
    weight: number
    key: string
  }> = {},
) => ({
  selector: { authName, authIndex: '', accountKey: changes.key ?? 'key' },
  routable: changes.routable ?? true,
  score: changes.score ?? (changes.routable === false ? 0 : 50),
  reclaim:
    changes.resets === undefined
      ? null
      : { id: '5h' as const, percent: 80, resetsInSeconds: changes.resets },
  capacityWeight: changes.weight ?? 1,
})
type Ranked = ReturnType<typeof ranked>

it.each<readonly [why: string, better: Ranked, worse: Ranked]>([
  [
    'routable before blocked',
    ranked('b', { score: 0 }),
    ranked('a', { routable: false, weight: 20 }),
  ],
  [
    'the higher score',
    ranked('b', { score: 51 }),
    ranked('a', { score: 50, resets: 60, weight: 20 }),
  ],
  [
    'at equal scores the sooner reclaim reset',
    ranked('b', { resets: 60 }),
    ranked('a', { resets: 61, weight: 20 }),
  ],
  ['any reclaim reset before none', ranked('b', { resets: 3600 }), ranked('a', { weight: 20 })],
  ['then the greater weight', ranked('b', { weight: 5 }), ranked('a', { weight: 1 })],
  ['then the file name', ranked('a', { key: 'z' }), ranked('b', { key: 'a' })],
  ['then the account key', ranked('a', { key: 'a' }), ranked('a', { key: 'b' })],
  [
    'blocked ones by weight too',
    ranked('b', { routable: false, weight: 5 }),
    ranked('a', { routable: false, weight: 1 }),
  ],
  ['and by file name', ranked('a', { routable: false }), ranked('b', { routable: false })],
  ['by code points, not by a locale', ranked('B'), ranked('a')],
])('%s', (_, better, worse) => {
  expect(rankAccounts([worse, better])).toEqual([better, worse])
  expect(rankAccounts([better, worse])).toEqual([better, worse])
})

it('leaves the list it was given alone', () => {
  const pool = [ranked('b'), ranked('a')]
  rankAccounts(pool)
  expect(pool.map(({ selector }) => selector.authName)).toEqual(['b', 'a'])
})

const claude = (name: string) => anAccount(name, { provider: 'claude', claimedPlan: null })
const asked = (plan: string | null): Partial<AccountEvidence> => ({
  vendorPlan: { plan, askedAt: NOW },
})
/** Evidence of an account with this plan; undefined: nobody has asked for it. */
const withPlan = (plan: string | null | undefined) =>
  evidenceOf(
    [aQuotaSample({ fiveHour: 60, week: 60 }, { plan: null })],
    plan === undefined ? {} : asked(plan),
  )

function rankedWith(plans: Readonly<Record<string, string | null | undefined>>) {
  const evidence = new Map(
    Object.entries(plans).map(([name, plan]) => [claude(name).selector.authName, withPlan(plan)]),
  )
  const accounts = Object.keys(plans).map(claude)
  const byTitle = rankPool(accounts, evidence, defaultPolicy, NOW).map(
    (one) => [one.title.replace(/@.*/, ''), one] as const,
  )
  return Object.fromEntries(byTitle)
}

describe('an account whose plan nobody has asked for', () => {
  it.each<{ why: string; others: readonly (string | null)[]; usual: string | undefined }>([
    { why: 'the only one known', others: ['max_20x'], usual: 'max_20x' },
    { why: 'the most common', others: ['pro', 'max_20x', 'max_20x'], usual: 'max_20x' },
    { why: 'of two as common the smaller', others: ['max_20x', 'max_5x'], usual: 'max_5x' },
    { why: 'one without a size', others: ['team', 'team', 'pro'], usual: 'team' },
    { why: 'none without a known plan', others: [null, null], usual: undefined },
    { why: 'none without another account', others: [], usual: undefined },
  ])('counts with the usual plan of its pool: $why', ({ others, usual }) => {
    const pool = rankedWith({
      new: undefined,
      ...Object.fromEntries(others.map((plan, at) => [`other${at}`, plan])),
    })

    expect(pool.new).toMatchObject({ plan: 'unknown', capacityWeight: 0 })
    expect(pool.new?.scoredPlan).toBe(usual)
    const alike = others.indexOf(usual ?? 'no plan')
    if (alike >= 0) expect(pool.new?.score).toBe(pool[`other${alike}`]?.score)
  })

  it('is near the first one that was asked, which does not take all requests', () => {
    const pool = rankedWith({ a: undefined, b: undefined, c: 'max_5x', d: undefined })

    expect(new Set(Object.values(pool).map(({ score }) => score)).size).toBe(1)
  })

  it('is not one that was asked and named none', () => {
    const pool = rankedWith({ silent: null, other: 'pro' })

    expect(pool.silent).not.toHaveProperty('scoredPlan')
    expect(pool.silent?.score).toBeLessThan(pool.other?.score ?? 0)
  })

  it('counts the plans of its own provider alone', () => {
    const accounts = [claude('new'), anAccount('codex', { claimedPlan: 'pro' })]
    const evidence = new Map([[claude('new').selector.authName, withPlan(undefined)]])

    for (const one of rankPool(accounts, evidence, defaultPolicy, NOW))
      expect(one).not.toHaveProperty('scoredPlan')
  })

  it('of Codex is one that was never read', () => {
    const plus = anAccount('plus', { claimedPlan: 'plus' })
    const unread = anAccount('unread', { claimedPlan: null })
    const read = anAccount('read', { claimedPlan: null })
    const evidence = new Map([
      [read.selector.authName, evidenceOf([aQuotaSample({}, { plan: null })])],
    ])
    const pool = rankPool([plus, unread, read], evidence, defaultPolicy, NOW)
    const scoredPlanOf = (account: typeof plus) =>
      pool.find((one) => one.account === account)?.scoredPlan

    expect([plus, unread, read].map(scoredPlanOf)).toEqual([undefined, 'plus', undefined])
  })
})
