import { describe, expect, it } from 'vitest'
import { axeViolations } from '../../../tooling/dashboard/browser.ts'
import { useDashboard } from '../../../tooling/dashboard/dashboard-fixture.ts'

type Page = Awaited<ReturnType<ReturnType<typeof useDashboard>['open']>>
const dashboard = useDashboard()
const PHONE = { hash: '#overview', width: 390, height: 844 } as const

/** Where a press in the middle of each of these words leads; null where it leads nowhere. */
const pressed = (page: Page, words: string) =>
  page.evaluate(
    (selector) =>
      [...document.querySelectorAll<HTMLElement>(selector)].map((word) => {
        word.scrollIntoView({ block: 'center' })
        const { left, top, width, height } = word.getBoundingClientRect()
        const hit = document.elementFromPoint(left + width / 2, top + height / 2)
        return hit?.closest('a')?.getAttribute('href') ?? null
      }),
    words,
  )

describe('on a phone the overview', () => {
  it('says which account is next and why, what to do, and both numbers above its tabs', async () => {
    const page = await dashboard.open(PHONE)
    await page.locator('.best').waitFor()
    const tabs = (await page.locator('.tabs').boundingBox())?.y ?? 0
    for (const part of ['.needs li:last-child', '.best .points', '.best .why li:first-child'])
      expect([part, await bottomOf(page, part)]).toEqual([part, expect.toSatisfy(above(tabs))])
    const number = await page.locator('.big').nth(1).boundingBox()
    expect((number?.y ?? Number.NaN) + (number?.height ?? 0)).toBeLessThan(tabs)
    expect(await page.locator('.needs .what').allInnerTexts()).toHaveLength(3)
    for (const words of await page.locator('.needs .do').all()) {
      const isWhole = await words.evaluate((text) => text.scrollHeight <= text.clientHeight + 1)
      expect([await words.innerText(), isWhole]).toEqual([expect.stringMatching(/^Do: /), true])
    }
    expect(await page.locator('.needs .do').count()).toBe(3)
    expect(await page.locator('.needs .rest').innerText()).toBe('2 more, 1 at other providers')
    expect(await axeViolations(page)).toEqual([])
  })

  it('has the way to what is wrong as high as a thumb needs', async () => {
    const page = await dashboard.open(PHONE)
    const box = await page.locator('.top .pill').boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(44)
    expect((await page.locator('.top').boundingBox())?.height).toBeLessThan(60)
  })

  it('leads to an account from every word of its block, which has one link', async () => {
    const page = await dashboard.open(PHONE)
    await page.locator('.returns').waitFor()
    for (const block of ['.needs li', '.best', '.then li:not(.more)', '.returns li:not(.more)']) {
      const places = page.locator(block)
      for (let at = 0; at < (await places.count()); at += 1) {
        const links = await places.nth(at).locator('a').count()
        expect([block, at, links]).toEqual([block, at, 1])
      }
    }
    for (const words of [
      '.needs .line span',
      '.best .points b',
      '.best .badge',
      '.best .why li:first-child',
      '.then li:not(.more) .score',
      '.returns li:not(.more) > b',
      '.returns li:not(.more) > :first-child',
    ]) {
      const hrefs = await pressed(page, words)
      expect([words, hrefs.length > 0, hrefs.filter((href) => href === null)]).toEqual([
        words,
        true,
        [],
      ])
    }
    // What explains itself is still a button.
    expect(await pressed(page, '.best .term button')).toEqual([null])
  })

  it('opens what a pace is above the word, so that what follows stays in sight', async () => {
    const page = await dashboard.open(PHONE)
    const pace = page.locator('.capacity .term button', { hasText: 'Pace' }).last()
    await pace.focus()
    const [word, meaning] = await Promise.all([
      pace.boundingBox(),
      page.getByRole('tooltip').boundingBox(),
    ])

    expect((meaning?.y ?? Number.NaN) + (meaning?.height ?? 0)).toBeLessThanOrEqual(word?.y ?? 0)
    expect(meaning?.x).toBeGreaterThanOrEqual(0)
    expect((meaning?.x ?? 0) + (meaning?.width ?? Number.NaN)).toBeLessThanOrEqual(390)
  })
})

describe('the windows of the account to use next', () => {
  it.each([1280, 1920])('have bars of one length, one under the other, at %i px', async (width) => {
    const page = await dashboard.open({ hash: '#overview', width, height: 1080 })
    const bars = await page
      .locator('.windows .bar')
      .evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect()))
    const [first, second] = bars

    expect(bars).toHaveLength(2)
    expect([second?.left, second?.width]).toEqual([first?.left, first?.width])
    expect(first?.width).toBeGreaterThan(100)
    expect(second?.top).toBeGreaterThan(first?.bottom ?? Number.NaN)
  })
})

const above = (line: number) => (bottom: number) => bottom <= line

async function bottomOf(page: Page, selector: string): Promise<number> {
  const box = await page.locator(selector).first().boundingBox()
  return box === null ? Number.NaN : box.y + box.height
}
