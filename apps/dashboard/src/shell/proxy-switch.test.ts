import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, expect, it } from 'vitest'
import { chosenUpstream } from '../state/display-state.ts'
import { clearFleet, showFleet } from '../testing/fleet.ts'
import { anEntry, clearPage, draw, enter, showPool, wordsOfEach } from '../testing/page.ts'
import { ProxySwitch } from './proxy-switch.tsx'

afterEach(() => {
  clearPage()
  clearFleet()
})

it('is not there where one proxy is watched', () => {
  showPool([anEntry('ana')])

  expect(draw(h(ProxySwitch, {})).querySelector('select')).toBeNull()
})

it('lists all proxies, and says which are not live', () => {
  showFleet({ tokyo: [anEntry('ana')], berlin: [] })
  const place = draw(h(ProxySwitch, {}))

  expect(wordsOfEach(place, 'option')).toEqual(['All 2 proxies', 'tokyo', 'berlin'])
})

it('chooses one, and all of them again', () => {
  showFleet({ tokyo: [anEntry('ana')], berlin: [anEntry('bob')] })
  const place = draw(h(ProxySwitch, {}))

  enter(place.querySelector('select'), 'berlin', 'change')
  expect(chosenUpstream.value).toBe('berlin')
  enter(place.querySelector('select'), '', 'change')
  expect(chosenUpstream.value).toBe('')
})
