import { anAccount, aQuotaSample, evidenceOf } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { accountCalled, anEntry, change, showPool } from '../testing/page.ts'
import { status } from './live-data.ts'
import {
  accountKeyOf,
  accountTone,
  expiresSoon,
  findReclaim,
  hasStaleWindow,
  isDisabled,
  isHeldByWeek,
  isRoutable,
  openAccount,
  poolTokens,
  rankedAccounts,
  rankingItem,
  rowKeyOf,
  windowOrAbsent,
} from './pool.ts'

describe('an account of the page', () => {
  it.each([
    { authIndex: 'c0ffee', accountKey: 'key', key: 'c0ffee' },
    { authIndex: '', accountKey: 'key', key: 'key' },
    { authIndex: '', accountKey: undefined, key: '' },
  ])('is named by its index "$authIndex", else by its key', ({ key, ...selector }) => {
    expect(rowKeyOf(selector)).toBe(key)
  })

  it('is one of those that can be used, in the order of the ranking', () => {
    showPool([
      anEntry('ana', { fiveHour: 20 }),
      anEntry('bob', { fiveHour: 0 }),
      anEntry('cyd', { fiveHour: 90 }),
    ])

    expect(rankedAccounts.value.map(({ title }) => title)).toEqual([
      'cyd@example.com',
      'ana@example.com',
    ])
    expect(isRoutable(accountCalled('bob'))).toBe(false)
  })

  it('that is switched off has a tone of its own, unless something is bad as well', () => {
    showPool([anEntry('ana', {}, { operatorDisabled: true }), anEntry('bob')])
    const ana = accountCalled('ana')

    expect([isDisabled(ana), accountTone(ana)]).toEqual([true, 'off'])
    expect(accountTone({ ...ana, status: { ...ana.status, sign: 'bad' } })).toBe('bad')
    expect(accountTone(accountCalled('bob'))).toBe('good')
  })

  it('is stale with its readings', () => {
    showPool([anEntry('old', { ageSeconds: 7_200 }), anEntry('new')])

    expect([hasStaleWindow(accountCalled('old')), hasStaleWindow(accountCalled('new'))]).toEqual([
      true,
      false,
    ])
  })

  it('has what expires within the hour, and nothing where that is not much', () => {
    showPool([
      anEntry('ana', { fiveHour: 90, resetsInSeconds: 1_800 }),
      anEntry('bob', { fiveHour: 20, resetsInSeconds: 1_800 }),
      anEntry('cyd', { fiveHour: 90, resetsInSeconds: 7_200 }),
    ])

    expect(['ana', 'bob', 'cyd'].map((name) => expiresSoon(accountCalled(name)))).toEqual([
      true,
      false,
      false,
    ])
    expect(findReclaim(accountCalled('ana'))?.units).toBe(0.9)
  })

  it('is held by the week where that is used up and its 5h window is not', () => {
    const weekUsedUp = aQuotaSample({ fiveHour: 70, week: 0, weekResetsInSeconds: 90_000 })
    showPool([[anAccount('ana'), evidenceOf([weekUsedUp])], anEntry('bob')])

    expect(isHeldByWeek(accountCalled('ana'), '5h')).toBe(true)
    expect(isHeldByWeek(accountCalled('ana'), 'week')).toBe(false)
    expect(isHeldByWeek(accountCalled('bob'), '5h')).toBe(false)
  })

  it('has a window that says nothing where the answer has none', () => {
    showPool([anEntry('ana')])

    expect(windowOrAbsent(accountCalled('ana'), '5h').percent).toBe(80)
    expect(windowOrAbsent(accountCalled('ana'), 'fortnight')).toEqual({
      id: 'fortnight',
      state: 'absent',
      percent: null,
      resetsInSeconds: null,
      stale: false,
    })
  })

  it('is found in the ranking by its file, and only there', () => {
    showPool([anEntry('ana'), anEntry('bob')])
    const ana = accountCalled('ana')

    expect(rankingItem(ana)?.accountKey).toBe('key-ana')
    expect(accountKeyOf(ana)).toBe('index-ana')
    expect(rankingItem({ ...ana, selector: { ...ana.selector, authName: 'gone.json' } })).toBe(
      undefined,
    )
  })

  it('adds its tokens to those of the pool, where usage is kept', () => {
    showPool([anEntry('ana'), anEntry('bob')])
    expect(poolTokens.value).toBe(0)

    const now = status.value
    if (now === null) throw new Error('there is no status')
    const accounts = now.tabs.pool.accounts.map((account, index) => ({
      ...account,
      usage: index === 0 ? { requests: 3, tokens: 700, failed: 0 } : null,
    }))
    status.value = {
      ...now,
      tabs: { ...now.tabs, pool: { ...now.tabs.pool, accounts: accounts as never } },
    }
    expect(poolTokens.value).toBe(700)
  })
})

it.each([
  { hash: '#accounts/index-bob', key: 'bob' },
  { hash: '#accounts/index-gone', key: null },
  { hash: '#accounts', key: null },
  { hash: '#overview', key: null },
])('at $hash the account is $key, by the key that the service knows it by', ({ hash, key }) => {
  showPool([anEntry('ana'), anEntry('bob')])
  const bob = anEntry('bob')[0].selector.accountKey
  change(() => {
    location.hash = hash
  })

  expect(openAccount.value?.selector.accountKey ?? null).toBe(key === null ? null : bob)
})
