import { aFakeAccount } from '@svc/fake-proxy'
import type { Recommendations } from '@svc/views'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  axeViolations,
  launchBrowser,
  type OpenedPage,
  type OpenOptions,
  openDashboard,
  whyNoBrowser,
} from '../../../tooling/dashboard/browser.ts'
import { overflows, stored } from '../../../tooling/dashboard/dashboard-fixture.ts'
import { eventually } from '../../../tooling/eventually.ts'
import type { ServiceProcess } from '../../../tooling/service/start-service.ts'
import { aFleet, type Fleet, person } from '../../fleet.ts'

describe.skipIf(whyNoBrowser !== null)('the dashboard of three proxies', () => {
  let fleet: Fleet
  let service: ServiceProcess
  let browser: Awaited<ReturnType<typeof launchBrowser>>

  beforeAll(async () => {
    fleet = aFleet()
    const loggedOut = aFakeAccount({
      name: 'alice',
      status: 'error',
      statusMessage: '{"error":{"code":"token_invalidated"}}',
      vendor: 'token_invalidated',
    })
    const [tokyo, berlin, paris] = [
      await fleet.proxy([person('alice'), person('bob')]),
      await fleet.proxy([loggedOut, person('carol'), person('dora')]),
      await fleet.proxy([person('emil')]),
    ]
    fleet.write([
      { name: 'tokyo', proxy: tokyo },
      { name: 'berlin', proxy: berlin },
      { name: 'paris', proxy: paris, key: 'not-the-key' },
    ])
    service = await fleet.start()
    await eventually('every account that can be read', async () => {
      const { items } = await service.json<Recommendations>('/api/v1/recommendations')
      const isRead = ({ quotaWindows }: (typeof items)[number]) =>
        quotaWindows[0]?.state === 'known'
      return items.length === 5 && items.filter(isRead).length === 5
    })
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await fleet?.end()
  })

  const opened: OpenedPage[] = []
  /** Opens the page for one test, which must leave it nothing to complain of. */
  async function withPage(options: OpenOptions, look: (page: OpenedPage['page']) => Promise<void>) {
    const one = await openDashboard(browser, service.url, options)
    opened.push(one)
    await look(one.page)
    expect(one.problems).toEqual([])
    await one.close()
  }
  afterAll(async () => {
    for (const one of opened) await one.close()
  })

  const rows = (page: OpenedPage['page']) => page.locator('.accounts tbody tr[data-key]')

  it('shows all of them or one, remembers which, and says so in its address', async () => {
    await withPage({ hash: '#accounts' }, async (page) => {
      await rows(page).nth(3).waitFor()
      const places = await page.locator('.accounts td.at').allInnerTexts()
      expect(places.sort()).toEqual(['berlin', 'berlin', 'tokyo', 'tokyo, berlin'])

      await page.locator('#proxy').selectOption('berlin')
      await page.locator('.accounts td.at').first().waitFor({ state: 'detached' })
      expect(await rows(page).count()).toBe(3)
      expect(page.url()).toMatch(/#accounts\?upstream=berlin$/)
      expect(await stored(page, 'upstream')).toBe('berlin')

      await page.reload()
      await rows(page).first().waitFor()
      expect(await rows(page).count()).toBe(3)
      await page.locator('#tab-overview').click()
      await page.locator('.capacity .big').first().waitFor()
      expect(await page.locator('.capacity .big').first().innerText()).toMatch(/of 3\s/)

      await page.locator('#proxy').selectOption('')
      await page
        .getByText(/of 4\s/)
        .first()
        .waitFor()
      expect(page.url()).not.toContain('upstream')
    })
  })

  it('says of one proxy alone what is to be done there', async () => {
    const trouble = (page: OpenedPage['page']) => page.locator('.need').innerText()
    await withPage({ hash: '#overview' }, async (page) => {
      await page.locator('.needs li').first().waitFor()
      for (const name of ['berlin', 'paris']) expect(await trouble(page)).toContain(name)
      expect(await page.locator('.use header').innerText()).toMatch(/4 routable, 0 blocked/)
      expect(await page.locator('.top').getAttribute('class')).toContain('tone-bad')
    })
    await withPage({ hash: '#overview?upstream=tokyo' }, async (page) => {
      await page.locator('.top.tone-good').waitFor()
      expect(await trouble(page)).not.toMatch(/berlin|paris/)
    })
  })

  it('opens the proxy that a link names, and leads from an account to the same at another proxy', async () => {
    await withPage({ hash: '#accounts?upstream=tokyo' }, async (page) => {
      await rows(page).filter({ hasText: 'alice' }).locator('.open').click()
      await page.locator('.drawer .places a').filter({ hasText: 'berlin' }).click()
      await page.getByText('This account is not at tokyo.').waitFor()
      await page.getByRole('button', { name: 'Show all proxies' }).click()
      await page.locator('.drawer .places').filter({ hasText: 'At berlin' }).waitFor()
      await page.locator('.drawer').getByText('For scripts').click()
      expect(await page.locator('.drawer').innerText()).toContain('auth_invalid')
    })
  })

  it.each([
    { width: 1280, theme: 'light' },
    { width: 390, theme: 'dark' },
    { width: 320, theme: 'light' },
  ] as const)(
    'has nothing that sticks out at $width px, and nothing that axe finds',
    async ({ width, theme }) => {
      for (const hash of ['#overview', '#accounts', '#health', '#accounts?upstream=tokyo'])
        await withPage({ hash, width, height: 800, theme }, async (page) => {
          await page.locator('#proxy').waitFor()
          expect([hash, await overflows(page)]).toEqual([hash, 0])
          expect(await axeViolations(page)).toEqual([])
        })
    },
  )
})
