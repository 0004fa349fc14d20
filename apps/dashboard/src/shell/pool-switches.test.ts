import { h } from 'preact'
import { afterEach, expect, it } from 'vitest'
import { chosenProvider, chosenUpstream, kiosk } from '../state/display-state.ts'
import { goTo } from '../state/route.ts'
import { clearFleet, showFleet } from '../testing/fleet.ts'
import { anEntry, draw, enter, showPool, wordsOfEach } from '../testing/page.ts'
import {
  accountOf,
  aMixedPool,
  clearProvider,
  reading,
  showProvider,
} from '../testing/providers.ts'
import { ProviderSwitch, ProxySwitch } from './pool-switches.tsx'

afterEach(() => {
  clearProvider()
})

const choice = () => draw(h(ProviderSwitch, {})).querySelector('select')

it('is not there where one provider has accounts', () => {
  showPool([anEntry('ana')])

  expect(choice()).toBeNull()
})

it('offers all accounts, and those of each provider, the pool at home as what needs no choice', () => {
  showProvider(aMixedPool())
  const place = draw(h(ProviderSwitch, {}))

  expect(wordsOfEach(place, 'option')).toEqual([
    'All (7)',
    'Codex (2)',
    'Claude (2)',
    'xAI (1)',
    'Kimi (2)',
  ])
  expect([...place.querySelectorAll('option')].map(({ value }) => value)).toEqual([
    'all',
    '',
    'claude',
    'xai',
    'kimi',
  ])
})

it('tells two providers of one name apart', () => {
  const week = [reading('week', 50)]
  showProvider([...aMixedPool(), accountOf('kimi-ai', 'hal', week)])

  expect(wordsOfEach(draw(h(ProviderSwitch, {})), 'option').slice(-2)).toEqual([
    'Kimi (2)',
    'Kimi (kimi-ai) (1)',
  ])
})

it('says on Health that all providers are shown, and chooses on Stats', () => {
  showProvider(aMixedPool(), 'claude')
  location.hash = '#stats'
  expect(choice()?.value).toBe('claude')
  location.hash = '#health'

  expect(choice()).toBeNull()
  expect(wordsOfEach(draw(h(ProviderSwitch, {})), '.scope')).toEqual(['All providers'])
})

it('names on a wall whose the answer is, on Health too', () => {
  showProvider(aMixedPool(), 'claude')
  location.hash = '#health'
  kiosk.value = '1'

  expect(wordsOfEach(draw(h(ProviderSwitch, {})), '.scope')).toEqual(['Claude'])
  kiosk.value = ''
})

it('is in the address, and back again', () => {
  showProvider(aMixedPool())
  goTo('#accounts?f=routable')
  enter(choice(), 'claude', 'change')
  expect(location.hash).toBe('#accounts?f=routable&provider=claude')

  enter(choice(), '', 'change')
  expect(location.hash).toBe('#accounts?f=routable')

  goTo('#overview?provider=all')
  expect(chosenProvider.value).toBe('all')
  history.go(-1)
  // A choice that is kept stays where an address names none.
  expect(chosenProvider.value).toBe('all')
  goTo('#overview?provider=a,b')
  expect(chosenProvider.value).toBe('all')
})

afterEach(() => {
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
