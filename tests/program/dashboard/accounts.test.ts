import { describe, expect, it } from 'vitest'
import type { OpenedPage } from '../../../tooling/dashboard/browser.ts'
import {
  AN_ACCOUNT,
  overflows,
  useDashboard,
} from '../../../tooling/dashboard/dashboard-fixture.ts'

type Page = OpenedPage['page']

describe('the accounts of the dashboard', () => {
  const dashboard = useDashboard()

  it.each([
    { width: 1280, nameMin: 140 },
    { width: 1024, nameMin: 140 },
    { width: 900, nameMin: 140 },
  ])('keep their names in sight with the drawer open at $width px', async ({ width, nameMin }) => {
    const page = await dashboard.open({ hash: `#accounts/${AN_ACCOUNT}`, width, height: 800 })
    const drawer = await page.locator('.drawer').boundingBox()
    const columns = await boxesOf(page, '.accounts tbody .who')
    expect(columns.length).toBeGreaterThan(20)
    for (const { left, width: wide } of columns) {
      expect(wide).toBeGreaterThanOrEqual(nameMin)
      expect(left + nameMin).toBeLessThanOrEqual(drawer?.x ?? 0)
    }
    // Neither may another cell lie on a name.
    for (const { left, width: wide } of await boxesOf(page, '.accounts tbody .name')) {
      expect(wide).toBeGreaterThan(60)
      expect(left + wide).toBeLessThanOrEqual(columns[0]?.right ?? 0)
    }
    expect(await overflows(page)).toBe(0)
  })

  it('show name, status and return in full at 320 px, and nothing sticks out', async () => {
    const page = await dashboard.open({ hash: '#accounts', width: 320, height: 640 })
    expect(await overflows(page)).toBe(0)
    for (const place of ['.state', '.window-return', '.window-left'])
      expect([place, await cut(page, `.accounts tbody ${place}`)]).toEqual([place, []])
    for (const { width } of await boxesOf(page, '.accounts tbody .name'))
      expect(width).toBeGreaterThan(60)
    await page.locator('.accounts .open').first().click()
    expect(await cut(page, '.drawer .name')).toEqual([])
    expect(await overflows(page)).toBe(0)
  })
})

const boxesOf = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((elements) =>
    elements.map((element) => {
      const { left, right, width } = element.getBoundingClientRect()
      return { left, right, width }
    }),
  )

/** Texts of those that need more room than they have, or stick out of the page. */
const cut = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((elements) =>
      elements
        .filter(
          (element) =>
            element.scrollWidth > element.clientWidth + 1 ||
            element.getBoundingClientRect().right > innerWidth,
        )
        .map(({ textContent }) => textContent),
    )
