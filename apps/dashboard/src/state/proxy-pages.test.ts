import '../testing/browser.ts'
import { afterEach, expect, it } from 'vitest'
import { clearFleet, showFleet } from '../testing/fleet.ts'
import { anEntry, change, showPool } from '../testing/page.ts'
import { health, wholeHealth } from './live-data.ts'
import { findProxyPages } from './proxy-pages.ts'

afterEach(clearFleet)

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
