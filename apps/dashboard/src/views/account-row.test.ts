import { anAccount, aQuotaSample, evidenceOf } from '@svc/core/testing'
import { h } from 'preact'
import { beforeEach, describe, expect, it } from 'vitest'
import { status } from '../state/live-data.ts'
import { fourAccounts } from '../testing/four-accounts.ts'
import { anEntry, change, draw, showPool, wordsOf, wordsOfEach } from '../testing/page.ts'
import { Accounts } from './accounts.tsx'

let place: HTMLElement

beforeEach(() => {
  showPool(fourAccounts())
  place = draw(h(Accounts, { title: 'Accounts' }))
})

function raise(): never {
  throw new Error('there is no such account')
}

describe('the row of an account', () => {
  it('shows of each its plan, its status, its windows and how old the reading is', () => {
    const [ana = '', , cyd = '', dan = ''] = wordsOfEach(place, 'tbody tr:not(.group)')

    expect(ana).toMatch(/^1 ana@example\.com Plus Active \d+ 5h 90% 2h 30min W 60% 1d 1h 0 s$/)
    expect(cyd).toMatch(
      /^– cyd@example\.com Plus 5h quota used up until 22:30 0 5h 0% 2h 30min W 60% 1d 1h 0 s$/,
    )
    expect(dan).toMatch(/^– dan@example\.com Plus Disabled 0 not tracked 0 s$/)
  })

  it('says of a new reading that a reset has come since, rather than that it is old', () => {
    showPool([anEntry('ana', { ageSeconds: 58, resetsInSeconds: -20 })])

    expect(wordsOf(place.querySelector('td.sample'))).toBe('58 s before the reset')
  })

  it('says what blocks an account without an end, and that nobody knows one', () => {
    const spend = { id: 'spend', periodSeconds: null, percent: 0, resetAt: null }
    const read = aQuotaSample({ fiveHour: 50, week: 60, ageSeconds: 0 })
    showPool([[anAccount('ana'), evidenceOf([{ ...read, windows: [...read.windows, spend] }])]])

    expect(wordsOf(place.querySelector('td.state'))).toBe('Spending limit hit no end known')
  })

  it('shows the month where nothing else is known, and that it is not counted', () => {
    const month = { id: 'month', periodSeconds: 2_592_000, percent: 60, resetAt: null }
    const read = aQuotaSample({ ageSeconds: 0 })
    showPool([[anAccount('ana'), evidenceOf([{ ...read, windows: [month] }])]])

    expect(wordsOf(place.querySelector('td.week'))).toBe('M 60% Only a monthly window, not counted')
  })

  it('marks the second file of an account, which is not counted', () => {
    const [ana, read] = anEntry('ana')
    const selector = { ...ana.selector, authName: 'codex-other.json', authIndex: 'index-other' }
    showPool([
      [ana, read],
      [{ ...ana, selector }, read],
    ])

    expect(wordsOfEach(place, 'td.state .second')).toEqual(['same account, not counted'])
    expect(place.querySelectorAll('tbody .who')).toHaveLength(2)
  })

  it('says where a reading comes from only where that is not a direct query', () => {
    const read = aQuotaSample({ fiveHour: 50, week: 60, ageSeconds: 0 }, { origin: 'headers' })
    showPool([anEntry('ana'), [anAccount('bob'), evidenceOf([read])]])

    expect(wordsOfEach(place, 'td.sample').toSorted()).toEqual(['0 s', '0 s headers due every 6h'])
  })

  it('says how often an account is read where that is not as often as the others', () => {
    showPool([anEntry('ana'), anEntry('bob')])
    change(() => {
      const { tabs, ...rest } = status.value ?? raise()
      const [ana = raise(), bob = raise()] = tabs.pool.accounts
      const accounts = [ana, { ...bob, sampleEverySeconds: 21_600 }]
      status.value = { ...rest, tabs: { ...tabs, pool: { ...tabs.pool, accounts } } }
    })
    const [often, rarely] = wordsOfEach(place, 'td.sample')

    expect(often).not.toContain('due every')
    expect(rarely).toBe('0 s due every 6h')
  })
})
