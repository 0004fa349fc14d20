import { aFakeAccount, mixedPool } from '@svc/fake-proxy'
import type { Recommendations, StatusSnapshot } from '@svc/views'
import { expect, it } from 'vitest'
import { axeViolations, type Theme } from '../../../tooling/dashboard/browser.ts'
import {
  goTo,
  overflows,
  stored,
  useDashboard,
} from '../../../tooling/dashboard/dashboard-fixture.ts'
import { eventually } from '../../../tooling/eventually.ts'
import { acceleratedClock } from '../../../tooling/test-instant.ts'

const dashboard = useDashboard()

async function aMixedPool(perProvider: number) {
  const time = acceleratedClock()
  const service = await dashboard.live({ time, accounts: mixedPool(perProvider, time.now()) })
  await eventually('the accounts of every provider', async () => {
    const { pools = [] } = await service.json<Recommendations>('/api/v1/recommendations')
    return pools.length === 6
  })
  return service
}

const VIEWS = ['#overview', '#accounts', '#resets', '#health']

it('a provider is chosen by the switch, an overview line or an address, and by going back', async () => {
  const { url } = await aMixedPool(3)
  const page = await dashboard.open({ hash: '#accounts' }, url)
  const chosen = page.locator('#provider')
  const rows = page.locator('.accounts tbody tr[data-key]')
  await expect.poll(() => rows.count()).toBe(3)

  await chosen.selectOption({ label: 'All (18)' })
  await expect.poll(() => page.locator('.plan-head h3').allInnerTexts()).toContain('Antigravity')
  expect(page.url()).toMatch(/#accounts\?provider=all$/)
  expect(await stored(page, 'provider')).toBe('all')

  await page.reload()
  await expect.poll(() => chosen.inputValue()).toBe('all')

  await page.locator('#tab-overview').click()
  await page.locator('.pools').getByRole('button', { name: 'Claude' }).click()
  // Before its quota was read, and after.
  await expect
    .poll(() => page.locator('.hero .big').first().innerText())
    .toMatch(/quota|\bPro usable/)
  expect(page.url()).toMatch(/#overview\?provider=claude$/)

  await page.locator('#tab-accounts').click()
  expect(page.url()).toMatch(/#accounts\?provider=claude$/)
  await page.goBack()
  await expect.poll(() => page.url()).toMatch(/#overview\?provider=claude$/)

  await chosen.selectOption({ label: 'Codex (3)' })
  expect(page.url()).toMatch(/#overview$/)
  await expect.poll(() => page.locator('.hero .big').first().innerText()).toContain('Plus')
})

it.each([
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 768 },
  { theme: 'eink', width: 390 },
  { theme: 'light', width: 320 },
] as const)(
  'all providers, and one, fit into $width pixels and have nothing that axe finds, in $theme',
  async ({ theme, width }: { readonly theme: Theme; readonly width: number }) => {
    const { url } = await aMixedPool(3)
    const page = await dashboard.open({ hash: '#overview', theme, width }, url)
    for (const provider of ['', '?provider=all', '?provider=kimi', '?provider=antigravity'])
      for (const view of VIEWS) {
        await goTo(page, `${view.slice(1)}${provider}`)
        // What is still that of the former provider is dimmed.
        await page.locator('#main[aria-busy="true"]').waitFor({ state: 'detached' })
        const place = `${view}${provider}`
        expect([place, await overflows(page)]).toEqual([place, 0])
        expect([place, await axeViolations(page)]).toEqual([place, []])
      }
  },
)

it.each([
  { provider: 'claude', units: 'Pro' },
  { provider: 'kimi', units: 'account' },
])('a pool of $provider alone is whole on every view', async ({ provider, units }) => {
  const time = acceleratedClock()
  const names = ['ann', 'ben', 'cyd']
  const accounts = names.map((name) => aFakeAccount({ name, provider }))
  const { url, json } = await dashboard.live({ time, accounts })
  await eventually('a reading', async () => {
    const { items } = await json<Recommendations>('/api/v1/recommendations')
    return items.some(({ quotaWindows }) => quotaWindows.some(({ state }) => state === 'known'))
  })
  const page = await dashboard.open({ hash: '#overview' }, url)

  await expect.poll(() => page.locator('.hero .big').first().innerText()).toContain(units)
  expect(await page.locator('#provider').count()).toBe(0)
  for (const view of VIEWS) {
    await goTo(page, view.slice(1))
    expect(await page.locator('main').innerText(), view).not.toMatch(/\b(?:Plus|Codex|ChatGPT)\b/)
    expect([view, await overflows(page)]).toEqual([view, 0])
    expect([view, await axeViolations(page)]).toEqual([view, []])
  }
})

it('a mixed pool of a thousand draws only the rows in sight', async () => {
  const { url, json } = await aMixedPool(170)
  const { tabs } = await json<StatusSnapshot>('/api/v1/status?provider=all')
  const count = tabs.pool.accounts.length
  expect(count).toBeGreaterThan(1_000)
  const page = await dashboard.open({ hash: '#accounts?provider=all' }, url)

  await expect
    .poll(() => page.getByRole('button', { name: /^All/ }).innerText())
    .toBe(`All ${count}`)
  const drawn = await page.locator('.accounts tbody tr[data-key]').count()
  expect(drawn).toBeLessThan(100)
})
