import { describe, expect, it } from 'vitest'
import { axeViolations } from '../../../tooling/dashboard/browser.ts'
import { overflows, useDashboard } from '../../../tooling/dashboard/dashboard-fixture.ts'

type Page = Awaited<ReturnType<ReturnType<typeof useDashboard>['open']>>

/** Pixels of the page below the screen. */
const below = (page: Page) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollHeight - innerHeight))

describe('on a wall the dashboard', () => {
  const dashboard = useDashboard()

  it.each([
    [1920, 1080],
    [3840, 2160],
    [1280, 720],
  ])('shows all of itself at %i × %i, its foot too', async (width, height) => {
    const page = await dashboard.open({ hash: '#overview?kiosk=1', width, height })
    await page.locator('.flow').first().waitFor()

    await expect.poll(() => below(page)).toBe(0)
    expect(await overflows(page)).toBe(0)
    const [foot, state, word] = await page.evaluate(() => [
      document.querySelector('.foot')?.getBoundingClientRect().bottom ?? Number.NaN,
      Number.parseFloat(getComputedStyle(document.querySelector('.pill') as Element).fontSize),
      Number.parseFloat(getComputedStyle(document.querySelector('.who') as Element).fontSize),
    ])
    expect(foot).toBeLessThanOrEqual(height)
    expect(state).toBeGreaterThanOrEqual(2 * (word ?? Number.NaN))
  })

  it('has no word left of what is pressed', async () => {
    const page = await dashboard.open({ hash: '#overview?kiosk=1', width: 1920, height: 1080 })
    await page.locator('.needs').waitFor()

    expect(await page.locator('body').innerText()).not.toMatch(
      /connect your proxy|All resets|^Health$/m,
    )
    expect(await page.locator('.rest:visible').allInnerTexts()).toEqual(['+1 more'])
    expect(await page.locator('a.rest').count()).toBe(0)
  })

  it('pales and says how old it is when the monitor is silent, and pushes nothing down', async () => {
    const page = await dashboard.open({ hash: '#overview?kiosk=1', width: 1920, height: 1080 })
    await page.locator('.flow').first().waitFor()
    await expect.poll(() => below(page)).toBe(0)
    const numberTop = () =>
      page
        .locator('.big b')
        .first()
        .evaluate((b) => b.getBoundingClientRect().top)
    const ink = () =>
      page
        .locator('.big b')
        .first()
        .evaluate((b) => getComputedStyle(b).color)
    const before = await numberTop()
    expect(await ink()).toBe('rgb(18, 25, 26)')
    // The files of the page stay within reach: the check at the end reads its styles.
    await page.route('**/api/**', (question) => question.abort('connectionrefused'))

    await expect.poll(() => page.locator('.pill').innerText()).toMatch(/not updating\s+4 actions/)
    expect(await page.locator('.age').innerText()).toMatch(/ old$/)
    expect(await page.title()).toMatch(/^⚠ not updating, 4 actions · /)
    expect(await page.locator('.top .banner').innerText()).toMatch(/has not answered for/)
    expect(await page.locator('main .banner').count()).toBe(0)
    expect([await numberTop(), await below(page)]).toEqual([before, 0])
    expect(await ink()).toBe('rgb(93, 106, 112)')
    const known = page.locator('.capacity .known, .best .known')
    expect(
      await known.evaluateAll((parts) => parts.map((part) => getComputedStyle(part).fill)),
    ).toEqual(Array.from({ length: await known.count() }, () => 'url("#stale")'))
    expect(await page.locator('.key').first().innerText()).not.toContain('measured')
    expect(await page.locator('.flow .strong').first().textContent()).toMatch(/^\d\d:\d\d$/)
    expect(await axeViolations(page)).toEqual([])
  })
})
