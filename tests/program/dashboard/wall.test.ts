import { describe, expect, it } from 'vitest'
import { axeViolations } from '../../../tooling/dashboard/browser.ts'
import { overflows, useDashboard } from '../../../tooling/dashboard/dashboard-fixture.ts'
import { eventually } from '../../../tooling/eventually.ts'

type Page = Awaited<ReturnType<ReturnType<typeof useDashboard>['open']>>

/** Pixels of the page below the screen. */
const below = (page: Page) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollHeight - innerHeight))

/** Height of letters on the screen, in its pixels. */
const lettersOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { fontSize } = getComputedStyle(element)
      const scale = Number(document.documentElement.style.getPropertyValue('--scale'))
      return Math.round(Number.parseFloat(fontSize) * scale)
    })

async function bottomOf(page: Page, selector: string): Promise<number> {
  const box = await page.locator(selector).first().boundingBox()
  return (box?.y ?? Number.NaN) + (box?.height ?? 0)
}

describe('on a wall the dashboard', () => {
  const dashboard = useDashboard()

  it.each([
    [1920, 1080, 1],
    [3840, 2160, 2],
    [1280, 720, 2 / 3],
  ])('fills %i × %i and is read from across the room', async (width, height, scale) => {
    const page = await dashboard.open({ hash: '#overview?provider=codex&kiosk=1', width, height })
    // With so many providers the charts give way.
    await page.locator('[data-kiosk="fewer"] .flow').first().waitFor({ state: 'attached' })

    await expect.poll(() => below(page)).toBe(0)
    expect(await overflows(page)).toBe(0)
    expect(await bottomOf(page, '.three')).toBeGreaterThan(0.97 * height)
    for (const [words, pixels] of [
      ['.answer', 40],
      ['.big b', 160],
      ['.who', 26],
      ['.needs .line', 26],
      ['.returns li', 26],
      ['.age', 20],
      ['.clock', 20],
    ] as const)
      expect([words, await lettersOf(page, words)]).toEqual([
        words,
        expect.toSatisfy((size) => size >= Math.floor(pixels * scale)),
      ])
    for (const rows of ['.then li:visible', '.needs li:visible', '.returns li:visible'])
      expect([rows, await page.locator(rows).count()]).toEqual([
        rows,
        rows.startsWith('.then') ? 3 : 4,
      ])
    expect(await page.locator('.brand').innerText()).toBe('Overview')
  })

  it.each([
    [1024, 768],
    [1366, 768],
    [1920, 1200],
  ])('has all of itself at %i × %i', async (width, height) => {
    const page = await dashboard.open({ hash: '#overview?provider=codex&kiosk=1', width, height })
    await page.locator('.returns').waitFor()

    await expect.poll(() => below(page)).toBe(0)
    expect(await overflows(page)).toBe(0)
  })

  it('has the lists of all providers over its whole width', async () => {
    const page = await dashboard.open({ hash: '#overview?kiosk=1', width: 1280, height: 720 })
    const right = () =>
      page.locator('.three .need').evaluate((list) => list.getBoundingClientRect().right)
    await expect.poll(right).toBe(1280 - 32)
  })

  it.each(['all', 'codex'])(
    'shows its numbers and its lists in turn, each whole, on a quarter of the size: %s',
    async (provider) => {
      const page = await dashboard.open({
        hash: `#overview?provider=${provider}&kiosk=1`,
        width: 960,
        height: 540,
        theme: 'eink',
      })
      await page.locator('[data-kiosk="numbers"] .pools').waitFor()
      await expect.poll(() => below(page)).toBe(0)
      expect(await page.locator('.three').isVisible()).toBe(false)

      await page.locator('[data-kiosk="lists"] .three').waitFor()
      expect(await below(page)).toBe(0)
      expect(await page.locator('.answer').isVisible()).toBe(true)
      expect(await page.locator('.needs li:visible').count()).toBe(4)
      expect(await page.locator('.then li:visible').count()).toBe(provider === 'all' ? 7 : 3)
      const cut = await page
        .locator('.returns .name:visible, .best .name')
        .evaluateAll((names) =>
          names.flatMap(({ scrollWidth, clientWidth, textContent }) =>
            scrollWidth > clientWidth ? (textContent ?? '') : [],
          ),
        )
      // One of the demo is longer than any name that people give.
      expect(cut.filter((name) => name.length <= 40)).toEqual([])
    },
  )

  it('cuts no line of actions and no badge at 640 × 360', async () => {
    const page = await dashboard.open({ hash: '#overview?kiosk=1', width: 640, height: 360 })
    const list = page.locator('.needs')
    await list.waitFor()
    /** Whether a line is partly on the first page of the screen and partly on the next. */
    const isCut = () =>
      list.locator('li').evaluateAll((rows) =>
        rows.some((row) => {
          const { top, bottom } = row.getBoundingClientRect()
          return top + scrollY < innerHeight && bottom + scrollY > innerHeight
        }),
      )

    await expect.poll(() => list.locator('li:visible').count()).toBe(4)
    await expect.poll(isCut).toBe(false)
    const line = list.locator('.line > div').first()
    await line.evaluate((each) => {
      const badge = each.querySelector('.provider')
      for (let count = 0; count < 40; count += 1) badge?.after(badge.cloneNode(true))
    })
    /** The line with the badges beyond its end, or without them. */
    const pictured = async (visibility: string) => {
      await line.evaluate((each, shown) => {
        const end = each.getBoundingClientRect().right
        for (const badge of each.querySelectorAll<HTMLElement>('.provider'))
          if (badge.getBoundingClientRect().right > end) badge.style.visibility = shown
      }, visibility)
      return await line.screenshot()
    }
    // A number that changes meanwhile makes two pictures differ, but not every time.
    await expect.poll(async () => (await pictured('')).equals(await pictured('hidden'))).toBe(true)
  })

  it('shows a long table to its end, page by page', async () => {
    const page = await dashboard.open({ hash: '#accounts?kiosk=1', width: 1280, height: 720 })
    const last = page.locator('.accounts tbody tr').last()
    expect(await page.locator('.menu:visible').count()).toBe(0)
    expect(await last.evaluate((row) => row.getBoundingClientRect().bottom > innerHeight)).toBe(
      true,
    )

    await expect
      .poll(() => last.evaluate((row) => row.getBoundingClientRect().bottom <= innerHeight), {
        timeout: 60_000,
      })
      .toBe(true)
  })

  it('has no word left of what is pressed', async () => {
    const page = await dashboard.open({
      hash: '#overview?provider=codex&kiosk=1',
      width: 1920,
      height: 1080,
    })
    await page.locator('.needs').waitFor()

    expect(await page.locator('body').innerText()).not.toMatch(
      /connect your proxy|All resets|^Health$/m,
    )
    expect(await page.locator('a.rest').count()).toBe(0)
    expect(await page.locator('.key:visible, .foot:visible, .banner:visible').count()).toBe(0)
  })

  it.each(['accounts', 'resets', 'stats', 'health'])(
    'has no button and nothing beside the screen on %s',
    async (view) => {
      const page = await dashboard.open({ hash: `#${view}?kiosk=1`, width: 1920, height: 1080 })
      await page.locator(`.view-${view} > *`).first().waitFor()
      if (view === 'health') await page.locator('.sources').first().waitFor()

      expect(await page.locator('.button:visible, .proxy-page:visible').count()).toBe(0)
      expect(await overflows(page)).toBe(0)
    },
  )

  it('pales and says how old it is when the monitor is silent, and pushes nothing down', async () => {
    const page = await dashboard.open({
      hash: '#overview?provider=codex&kiosk=1',
      width: 1920,
      height: 1080,
    })
    await page.locator('.flow').first().waitFor({ state: 'attached' })
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

    // The longer an answer takes to draw, the longer the page rests before it asks again.
    await eventually('the page says so', async () =>
      /not updating\s+\d actions/.test(await page.locator('.pill').innerText()),
    )
    expect(await page.locator('.age').innerText()).toMatch(/ old$/)
    const answer = (await page.locator('.answer').innerText()).trim()
    expect(answer).toMatch(/^Not known: the monitor has been silent since \d\d:\d\d\.$/)
    expect(await page.title()).toContain(`${answer.slice(0, -1)} · ⚠ `)
    expect([await numberTop(), await below(page)]).toEqual([before, 0])
    expect(await ink()).toBe('rgb(93, 106, 112)')
    const known = page.locator('.capacity .known, .best .known')
    expect(
      await known.evaluateAll((parts) => parts.map((part) => getComputedStyle(part).fill)),
    ).toEqual(Array.from({ length: await known.count() }, () => 'url("#stale")'))
    const paled = page.locator('.big b, .who a, .needs .what, .returns .account')
    expect(
      new Set(await paled.evaluateAll((all) => all.map((one) => getComputedStyle(one).color))),
    ).toEqual(new Set(['rgb(93, 106, 112)']))
    expect(await page.locator('.flow .strong').first().textContent()).toMatch(/^\d\d:\d\d$/)
    expect(await axeViolations(page)).toEqual([])
  })
})
