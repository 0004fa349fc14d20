import { h } from 'preact'
import { afterEach, expect, it } from 'vitest'
import { shownAccounts } from '../state/pool.ts'
import { clearFleet, showFleet } from '../testing/fleet.ts'
import { anEntry, draw, elementsOf, showPool, wordsOf } from '../testing/page.ts'
import { AccountPlace, Places } from './place.tsx'

const ana = anEntry('ana')
const drawFirst = (part: typeof Places | typeof AccountPlace) => {
  const [account] = shownAccounts.value
  if (account === undefined) throw new Error('no account is shown')
  return draw(h(part, { account }))
}

afterEach(() => {
  clearFleet()
})

it('nothing is said of proxies where one is watched', () => {
  showPool([ana])

  expect([wordsOf(drawFirst(AccountPlace)), wordsOf(drawFirst(Places))]).toEqual(['', ''])
})

it('the details lead to the files of the account at other proxies', () => {
  showFleet({ berlin: [ana], tokyo: [ana], paris: [ana] })
  const place = drawFirst(Places)

  expect(wordsOf(place)).toBe('At berlin Also at paris tokyo')
  expect(elementsOf(place, 'a').map((link) => link.getAttribute('href'))).toEqual([
    expect.stringMatching(/^#accounts\/paris~/),
    expect.stringMatching(/^#accounts\/tokyo~/),
  ])
})

it('a proxy is named beside an account only while those of several are shown', () => {
  showFleet({ tokyo: [ana], berlin: [] })
  expect(wordsOf(drawFirst(AccountPlace))).toBe('tokyo')

  showFleet({ tokyo: [ana], berlin: [] }, 'tokyo')
  expect(wordsOf(drawFirst(AccountPlace))).toBe('')
})

it('a proxy at which the account must not be used is marked, where another one lets it', () => {
  showFleet({ tokyo: [ana], berlin: [anEntry('ana', {}, { operatorDisabled: true })] })
  const place = drawFirst(AccountPlace)

  expect(wordsOf(place)).toBe('tokyo, berlin')
  expect(place.querySelectorAll('svg')).toHaveLength(1)
})
