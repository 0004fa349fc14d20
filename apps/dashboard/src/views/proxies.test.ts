import { h } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, it } from 'vitest'
import { chosenUpstream } from '../state/display-state.ts'
import { health, status, wholeHealth } from '../state/live-data.ts'
import { clearFleet, showFleet } from '../testing/fleet.ts'
import { anEntry, change, click, draw, showPool, wordsOfEach } from '../testing/page.ts'
import { findProxyPages, Proxies } from './proxies.tsx'

const disabled = { operatorDisabled: true }

afterEach(() => {
  clearFleet()
})

it('are not listed where one is watched', () => {
  showPool([anEntry('ana')])

  expect(draw(h(Proxies, {})).querySelector('table')).toBeNull()
})

it('each says how it is read and how many of its accounts can be used', () => {
  showFleet({ tokyo: [anEntry('ana'), anEntry('dan', {}, disabled)], berlin: [] })

  expect(wordsOfEach(draw(h(Proxies, {})), 'tr')).toEqual([
    'tokyo live 1 routable, 1 blocked list read 0 s ago Only this',
    'berlin live 0 accounts list read 0 s ago Only this',
  ])
})

it('one whose list was never read has no number of accounts', () => {
  showFleet({ tokyo: [anEntry('ana')], berlin: [] })
  const now = status.value
  if (now === null) throw new Error('no status')
  const [tokyo, berlin] = now.tabs.upstreams ?? []
  if (tokyo === undefined || berlin === undefined) throw new Error('no proxies')
  act(() => {
    const unread = { ...berlin, source: 'unavailable', gatewayOk: false, sampledAt: null } as const
    const upstreams = [{ ...tokyo, gatewayOk: false }, unread]
    status.value = { ...now, tabs: { ...now.tabs, upstreams } }
  })

  expect(wordsOfEach(draw(h(Proxies, {})), 'tr')).toEqual([
    'tokyo live 1 routable, 0 blocked, gateway down list read 0 s ago Only this',
    'berlin not read gateway down no list read yet Only this',
  ])
})

it('one of them is shown alone by its button, and all of them by the same', () => {
  const fleet = { tokyo: [anEntry('ana')], berlin: [anEntry('bob')] }
  showFleet(fleet)
  click(draw(h(Proxies, {})).querySelectorAll('button')[1])
  expect(chosenUpstream.value).toBe('berlin')

  showFleet(fleet, 'berlin')
  const button = draw(h(Proxies, {})).querySelectorAll('button')[1]
  expect(button?.getAttribute('aria-pressed')).toBe('true')
  click(button)
  expect(chosenUpstream.value).toBe('')
})

/** Gives the account list of each proxy a page. */
function withPages(): void {
  change(() => {
    for (const answer of [health, wholeHealth]) {
      if (answer.value === null) continue
      const sources = answer.value.sources.map((source) =>
        source.id?.startsWith('accounts') === true
          ? { ...source, pageUrl: `http://${source.upstream ?? 'proxy'}.test/ui` }
          : source,
      )
      answer.value = { ...answer.value, sources }
    }
  })
}

it('of one proxy there is one page, for accounts that it has', () => {
  showPool([anEntry('ana')])
  expect(findProxyPages(['key-ana'])).toEqual([])
  withPages()

  expect(findProxyPages(['key-ana'])).toEqual([{ upstream: '', href: 'http://proxy.test/ui' }])
  expect([...findProxyPages(['key-bob']), ...findProxyPages()]).toEqual([])
})

it.each(['', 'east'])(
  'of several proxies there is that of each with a file of the account, whichever is shown (%j)',
  (shown) => {
    showFleet(
      { east: [anEntry('ana'), anEntry('bob')], west: [anEntry('ana')], north: [anEntry('cyd')] },
      shown,
    )
    withPages()
    const hostsOf = (...keys: readonly string[]) =>
      findProxyPages(keys)
        .map(({ upstream, href }) => `${upstream} ${href}`)
        .sort()

    expect(hostsOf('key-ana')).toEqual(['east http://east.test/ui', 'west http://west.test/ui'])
    expect(hostsOf('key-bob', 'key-cyd')).toEqual([
      'east http://east.test/ui',
      'north http://north.test/ui',
    ])
  },
)
