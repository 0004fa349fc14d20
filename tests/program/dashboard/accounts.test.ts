import { describe, expect, it } from 'vitest'
import {
  AN_ACCOUNT,
  overflows,
  useDashboard,
} from '../../../tooling/dashboard/dashboard-fixture.ts'

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

  it('let a name be marked and read in full, and open from anywhere in the row', async () => {
    const page = await dashboard.open({ hash: '#accounts' })
    const name = page.locator('.accounts .name').first()
    const box = await name.boundingBox()
    if (box === null) throw new Error('the name is not shown')
    const middle = [box.x + box.width / 2, box.y + box.height / 2] as const
    const hit = await page.evaluate(
      ([x, y]) => document.elementFromPoint(x, y)?.getAttribute('title'),
      middle,
    )
    expect(hit).toBe(await name.textContent())

    // A browser never begins to mark inside a link.
    await page.mouse.move(box.x + box.width + 6, middle[1])
    await page.mouse.down()
    await page.mouse.move(box.x + 2, middle[1], { steps: 5 })
    await page.mouse.up()
    const marked = await page.evaluate(() => String(getSelection()))
    expect(marked.length).toBeGreaterThan(5)
    expect(await page.locator('.drawer').count()).toBe(0)

    await page.evaluate(() => getSelection()?.removeAllRanges())
    await page.locator('.accounts td.points').first().click()
    await page.locator('.drawer').waitFor()
  })

  it('are copied as a list, one name a line', async () => {
    const page = await dashboard.open({ hash: '#accounts' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: /^Needs you/ }).click()
    await page.getByRole('button', { name: /^Copy \d+ names/ }).click()
    await page.getByText('Copied').waitFor()
    const names = await page.evaluate(() => navigator.clipboard.readText())
    expect(names.split('\n')).toEqual(await page.locator('.accounts tbody .who').allInnerTexts())
  })

  it('keep filters and heads in sight, also when jumping to those that are blocked', async () => {
    const page = await dashboard.open({ hash: '#accounts', height: 620 })
    await page.getByRole('button', { name: 'Jump to blocked' }).click()
    const tops = async (selector: string) =>
      (await page.locator(selector).first().boundingBox())?.y ?? -1
    await expect.poll(() => tops('.accounts .group')).toBeLessThan(620)
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(200)
    const [header, filters, head, group] = [
      await tops('.top'),
      await tops('.find'),
      await tops('.accounts thead .who'),
      await tops('.accounts .group'),
    ]
    expect(
      [header, filters, head, group].every(
        (y, index, all) => index === 0 || y > (all[index - 1] ?? 0),
      ),
    ).toBe(true)
  })
})

type Page = Awaited<ReturnType<ReturnType<typeof useDashboard>['open']>>

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
