import type { StatusSnapshot } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { axeViolations, type Theme } from '../../../tooling/dashboard/browser.ts'
import {
  AN_ACCOUNT,
  goTo,
  overflows,
  useDashboard,
  VIEWS,
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

  it('keep their lines on a phone beside the styles that every other view brings', async () => {
    const page = await dashboard.open({ width: 390, height: 844 })
    for (const view of [...VIEWS.filter((one) => one !== 'accounts'), 'accounts'])
      await goTo(page, view)
    await page.waitForLoadState('networkidle')
    const below = await page.locator('.accounts tbody tr:has(td.week)').evaluateAll((rows) =>
      rows.flatMap((row) => {
        const { bottom } = row.getBoundingClientRect()
        return [...row.children].map((cell) => cell.getBoundingClientRect().bottom - bottom)
      }),
    )
    expect(below.length).toBeGreaterThan(50)
    expect(Math.max(...below)).toBeLessThanOrEqual(0)
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
    await page.locator('.find .menu summary').click()
    await page.getByRole('button', { name: /^Copy \d+ names/ }).click()
    await page.getByText('Copied').waitFor()
    const names = await page.evaluate(() => navigator.clipboard.readText())
    expect(names.split('\n')).toEqual(await page.locator('.accounts tbody .who').allInnerTexts())
  })

  const THEMES: readonly Theme[] = ['light', 'dark', 'eink']
  it.each(
    THEMES.flatMap((theme) => [
      // So high that no row is behind the bar of what is selected.
      { theme, width: 1280, height: 1_600 },
      { theme, width: 320, height: 800 },
    ]),
  )('by plan and with a selection have no fault for axe, in $theme at $width px', async (look) => {
    const page = await dashboard.open({ hash: '#accounts?group=plan', ...look })
    await page.locator('.accounts tbody .pick-box').nth(1).click()
    await page.locator('.accounts tbody .pick-box').nth(2).click()
    await page.getByText('Selected: 2 accounts').waitFor()
    if (look.width === 320) await page.locator('.filters-button').click()

    expect(await axeViolations(page)).toEqual([])
    expect(await overflows(page)).toBe(0)
  })

  it.each([1280, 1000, 390])(
    'show a whole sum by plan at %i px, with an unknown part',
    async (width) => {
      const page = await dashboard.open({ hash: '#accounts', width })
      await page.route('**/api/v1/status*', async (route) => {
        const status = (await (await route.fetch()).json()) as StatusSnapshot
        const { pool } = status.tabs
        const [first] = pool.accounts
        const unread = Array.from({ length: 40 }, (_, copy) => ({
          ...pool.accounts[0],
          selector: { ...first?.selector, authIndex: `unread${copy}` },
          windows: first?.windows.map((window) => ({ ...window, percent: null })),
        }))
        const accounts = [...pool.accounts, ...unread]
        await route.fulfill({
          json: { ...status, tabs: { ...status.tabs, pool: { ...pool, accounts } } },
        })
      })
      await page.goto(page.url().replace('#accounts', '#accounts?group=plan'))
      await page.reload()
      const sums = page.locator('.plan-head .window-sum p:first-child')
      await sums.filter({ hasText: 'unknown' }).first().waitFor()

      const cut = await sums.evaluateAll((all) =>
        all.filter((sum) => sum.scrollWidth > sum.clientWidth).map((sum) => sum.textContent),
      )
      expect(cut).toEqual([])
    },
  )

  it('never have the row of the focus under the bar of what is selected', async () => {
    const page = await dashboard.open({ hash: '#accounts', height: 620 })
    await page.locator('.accounts .open').first().focus()
    await page.keyboard.press(' ')
    for (let row = 1; row < 20; row += 1) {
      await page.keyboard.press('ArrowDown')
      const [focused, bar] = await Promise.all([
        page.locator('.accounts .open:focus').boundingBox(),
        page.locator('.picked-bar').boundingBox(),
      ])
      expect((focused?.y ?? 0) + (focused?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
    }
  })

  it('are selected by touch on a phone, its filters one tap away wherever it is scrolled to', async () => {
    const page = await dashboard.open({ hash: '#accounts', width: 390, height: 844 })
    await page.evaluate(() => scrollTo(0, 1_200))
    await page.locator('.filters-button').click()
    await page.locator('select[aria-label="Status"]').selectOption('wait')
    await page.getByRole('button', { name: 'Filters (1)', exact: true }).click()
    await page.locator('.accounts tbody .pick-box').first().click()
    await page.getByText(/^Selected: 1 account,/).waitFor()
    for (const target of ['tbody .pick-box', '.filters-button', '.picked-tools button']) {
      const box = await page.locator(`#view ${target} >> visible=true`).first().boundingBox()
      expect([target, Math.min(box?.width ?? 0, box?.height ?? 0) >= 44]).toEqual([target, true])
    }
    expect(await page.evaluate(() => location.hash)).toBe('#accounts?status=wait')
    expect(await overflows(page)).toBe(0)
  })

  it('of a large pool stay where they are scrolled to, by plan too', async () => {
    const page = await dashboard.open({ hash: '#accounts?group=plan' })
    await enlargePool(page)
    await page.locator('.plan-head').first().waitFor()
    for (const top of [5_000, 20_000, 100]) {
      await page.evaluate((to) => scrollTo(0, to), top)
      const rowInSight = () =>
        page.evaluate(() => document.elementFromPoint(400, 500)?.closest('[data-key]') != null)
      await expect.poll(rowInSight).toBe(true)
      expect(await page.evaluate(() => scrollY)).toBe(top)
    }
    const drawn = await page.locator('.accounts tbody tr').count()
    expect(drawn).toBeLessThan(80)
  })

  it.each(['#overview', '#accounts'])(
    'of a large pool show the row of the one that the palette goes to, from %s',
    async (hash) => {
      const page = await dashboard.open({ hash })
      await enlargePool(page)
      for (const name of ['copy 39 of ada', 'copy 3 of finance']) {
        await page.locator('.top .pill').first().waitFor({ state: 'attached' })
        await page.keyboard.press('Control+k')
        await page.locator('.palette input').fill(name)
        await page.keyboard.press('Enter')
        await expect.poll(() => page.locator('.drawer header').innerText()).toContain(name)
        const place = () =>
          page.evaluate(() => {
            const row = document.querySelector('tr.selected')?.getBoundingClientRect()
            const heads = document.querySelector('.accounts thead th')?.getBoundingClientRect()
            return row !== undefined && row.top >= (heads?.bottom ?? 0) && row.bottom <= innerHeight
          })
        await expect.poll(place).toBe(true)
      }
    },
  )

  it('keep filters and heads in sight, also when jumping to those that are blocked', async () => {
    const page = await dashboard.open({ hash: '#accounts', height: 620 })
    await page.locator('.find .menu summary').click()
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

/** Lists each account 40 times, under names of their own, as `copy 3 of ada@example.com`. */
async function enlargePool(page: Page): Promise<void> {
  await page.route('**/api/v1/status*', async (route) => {
    const status = (await (await route.fetch()).json()) as StatusSnapshot
    const { pool } = status.tabs
    const accounts = Array.from({ length: 40 }, (_, copy) =>
      pool.accounts.map(({ selector, title, ...rest }) => ({
        ...rest,
        title: `copy ${copy} of ${title}`,
        selector: { ...selector, authIndex: `${selector.authIndex}${copy}` },
      })),
    ).flat()
    await route.fulfill({
      json: { ...status, tabs: { ...status.tabs, pool: { ...pool, accounts } } },
    })
  })
  await page.reload()
}

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
