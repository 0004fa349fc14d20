import { describe, expect, it } from 'vitest'
import {
  AN_ACCOUNT,
  goTo,
  overflows,
  useDashboard,
  VIEWS,
} from '../../../tooling/dashboard/dashboard-fixture.ts'

/** Widths at which columns come and go, from the first one that shows a table. */
const WIDTHS = [701, 768, 900, 1100, 1280] as const

const english = useDashboard()
const chinese = useDashboard(['--display-language', 'zh-CN'])
const LANGUAGES = [
  ['en', english],
  ['zh-CN', chinese],
] as const

describe('between a phone and a desk the dashboard', () => {
  const dashboard = english

  it.each(WIDTHS)(
    'names every account, also two files of one, at %d px and on paper',
    async (width) => {
      const page = await dashboard.open({ hash: '#accounts', width, height: 800 })
      for (const view of ['accounts', 'resets']) {
        await goTo(page, view)
        for (const media of ['screen', 'print'] as const) {
          await page.emulateMedia({ media })
          const names = await shownOf(page, `.${view} tbody .name`)
          expect(names.filter(({ text }) => text.startsWith('marta.k@')).length).toBeGreaterThan(1)
          for (const name of names)
            expect([view, media, name.text, name.width > 50]).toEqual([
              view,
              media,
              name.text,
              true,
            ])
        }
        await page.emulateMedia({ media: 'screen' })
        expect(await overflows(page)).toBe(0)
      }
    },
  )

  it.each([320, 390, 701, 768, 900])(
    'names every account of all providers, beside three windows, at %d px',
    async (width) => {
      const page = await dashboard.open({ hash: '#accounts?provider=all', width, height: 800 })
      await page.locator('.windows-3').waitFor()
      for (const name of await shownOf(page, '.accounts tbody .name'))
        expect([name.text, name.width > 50]).toEqual([name.text, true])
      expect((await page.locator('.find .search').boundingBox())?.width).toBeGreaterThan(100)
      expect(await overflows(page)).toBe(0)
    },
  )

  it.each([768, 1280])('says every state and every return in full at %d px', async (width) => {
    const page = await dashboard.open({ hash: '#accounts', width, height: 800 })

    for (const place of ['.state .words > :first-child', '.window-return', '.sample'])
      expect([place, await cutIn(page, `.accounts tbody ${place}`)]).toEqual([place, []])
  })

  it.each([768, 1024, 1280, 2560])('has one row of tools for the table at %d px', async (width) => {
    const page = await dashboard.open({ hash: '#accounts', width, height: 800 })
    const tops = await page
      .locator('.find :is(.search, .filters-button, .chips, .group-switch, .menu):visible')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().top))
    expect(tops.length).toBeGreaterThan(2)
    expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(4)
  })

  it('has one row for its head on a tablet, and its buttons keep off the line below', async () => {
    const page = await dashboard.open({ width: 768, height: 1024 })
    const [head, button] = await Promise.all([
      page.locator('.top').boundingBox(),
      page.locator('#refresh').boundingBox(),
    ])
    expect(head?.height).toBeLessThan(60)
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThan((head?.height ?? 0) - 4)
  })

  it.each([901, 981, 1024, 1101, 1280])(
    'cuts no name of a provider in its head at %d px',
    async (width) => {
      const page = await dashboard.open({ width, height: 800 })
      const names = await page.locator('.top #provider option').allInnerTexts()
      expect(names.length).toBeGreaterThan(4)
      const [room = 0, ...needed] = await page.locator('.top #provider').evaluate(
        (select, texts) => {
          const { fontSize, fontFamily, paddingInline } = getComputedStyle(select)
          const context = document.createElement('canvas').getContext('2d')
          if (context === null) return []
          context.font = `${fontSize} ${fontFamily}`
          // The arrow of the browser.
          const arrow = 16
          return [
            select.clientWidth - 2 * Number.parseFloat(paddingInline) - arrow,
            ...texts.map((text) => context.measureText(text).width),
          ]
        },
        names.slice(0, 2),
      )
      expect(Math.max(...needed)).toBeLessThanOrEqual(room)
      expect((await page.locator('.top').boundingBox())?.height).toBeLessThan(60)
    },
  )

  it('has a name and what tells it apart in one line, beside the details of an account', async () => {
    const page = await dashboard.open({ hash: `#accounts/${AN_ACCOUNT}`, width: 1440, height: 900 })
    await page.locator('.drawer').waitFor()
    const lines = await page
      .locator('.accounts .two-part')
      .evaluateAll((names) => names.map((name) => name.getBoundingClientRect().height))
    expect(lines.length).toBeGreaterThan(1)
    expect(Math.max(...lines)).toBeLessThan(24)
  })

  it('has one row for its head while the monitor is silent', async () => {
    const page = await dashboard.open({ hash: '#health', width: 1280, height: 800 })
    await page.locator('.top .scope').waitFor()
    await page.route('**/api/**', (question) => question.abort('connectionrefused'))
    await page.locator('.silence').waitFor({ timeout: 60_000 })
    for (const width of [1280, 1101, 1024, 901, 768]) {
      await page.setViewportSize({ width, height: 800 })
      const height = () => page.locator('.top').evaluate((head) => head.clientHeight)
      await expect.poll(height).toBeLessThan(60)
    }
  })

  it('reads an address from left to right, whatever its letters, and cuts it at its end', async () => {
    const page = await dashboard.open({ hash: '#accounts', width: 768, height: 800 })
    const name = page
      .locator('.accounts .name', { hasText: '@' })
      .filter({ hasText: /\p{sc=Arabic}/u })
    const order = await name.first().evaluate((element) => {
      const boxOf = (text: Node | null, from: number, to: number) => {
        const range = document.createRange()
        range.setStart(text as Text, from)
        range.setEnd(text as Text, to)
        return range.getBoundingClientRect()
      }
      const behind = element.lastChild
      const before = boxOf(element.firstChild, 0, 1)
      const [sign, next] = [boxOf(behind, 0, 1), boxOf(behind, 1, 2)]
      return [
        getComputedStyle(element).direction,
        before.top < sign.top || before.left < sign.left,
        sign.left < next.left,
      ]
    })

    expect(order).toEqual(['ltr', true, true])
  })
})

describe.each(LANGUAGES)('the table of accounts in %s', (_, dashboard) => {
  it.each([
    { width: 320, hash: '#accounts' },
    { width: 390, hash: '#accounts' },
    { width: 768, hash: '#accounts' },
    { width: 1024, hash: '#accounts' },
    { width: 1280, hash: '#accounts' },
    { width: 1280, hash: `#accounts/${AN_ACCOUNT}` },
    { width: 2560, hash: '#accounts' },
  ])('has room for each name at $width px of $hash', async ({ width, hash }) => {
    const page = await dashboard.open({ hash, width, height: 800 })
    await page.locator('.accounts tbody .name').first().waitFor()

    for (const theme of ['light', 'eink']) {
      await page.evaluate((name) => {
        document.documentElement.dataset.theme = name
      }, theme)
      const cut = await page.locator('.accounts tbody .name').evaluateAll((names) =>
        names.flatMap((name) => {
          const isCut =
            name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 1
          return isCut ? [name.textContent ?? ''] : []
        }),
      )
      // One of the demo is longer than any name that people give.
      expect([theme, cut.filter((name) => name.length <= 40)]).toEqual([theme, []])
      expect(await overflows(page)).toBe(0)
    }
  })
})

describe.each(LANGUAGES)("in e-ink's letters at 320 px the dashboard in %s", (_, dashboard) => {
  it('breaks no word and cuts no state', async () => {
    const page = await dashboard.open({ hash: '#accounts', width: 320, height: 844, theme: 'eink' })
    const states = page.locator('.accounts tbody td.state')
    await expect.poll(() => states.count()).toBeGreaterThan(20)
    expect(
      await states.evaluateAll((cells) =>
        cells.flatMap((cell) => (cell.scrollWidth > cell.clientWidth ? cell.textContent : [])),
      ),
    ).toEqual([])
    await goTo(page, 'resets')
    expect(await brokenWordsOf(page, '.resets .name')).toEqual([])
    await goTo(page, 'stats')
    await page.locator('.breakdown tbody .name').first().waitFor()
    expect(await brokenWordsOf(page, '.breakdown tbody .name')).toEqual([])
    await goTo(page, 'prices')
    await page.locator('.prices tbody').first().waitFor()
    expect(await brokenWordsOf(page, '.prices tbody tr:not(:has(small)) th')).toEqual([])
  })

  it('has its tabs apart, its sentence below the choice, and whole heads of its parts', async () => {
    const page = await dashboard.open({ width: 320, height: 844, theme: 'eink' })
    const words = await page.locator('.tabs a').evaluateAll((tabs) =>
      tabs.map((tab) => {
        const range = document.createRange()
        range.selectNodeContents(tab.lastChild ?? tab)
        return range.getBoundingClientRect()
      }),
    )
    const gaps = words.map(({ left }, index) => left - (words[index - 1]?.right ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThan(2)
    const [choice, sentence] = await Promise.all([
      page.locator('#provider').boundingBox(),
      page.locator('.answer .asked + p').boundingBox(),
    ])
    expect(sentence?.y).toBeGreaterThanOrEqual((choice?.y ?? Number.NaN) + (choice?.height ?? 0))
    await page.locator('.big button').first().click()
    const heads = page.locator('.parts .sum th')
    await heads.first().waitFor()
    expect(
      await heads.evaluateAll((all) =>
        all.flatMap((head) => (head.scrollWidth > head.clientWidth ? head.textContent : [])),
      ),
    ).toEqual([])
  })

  it('keeps its table inside the page, and the chosen grouping whole', async () => {
    const page = await dashboard.open({ hash: '#stats', width: 320, height: 844, theme: 'eink' })
    const table = page.locator('.window-use table')
    await table.waitFor()
    expect(await table.evaluate(sticksOut)).toBe(false)
    for (const group of ['client', 'account', 'api']) {
      await page.locator('.field select').first().selectOption(group)
      const [room, width] = await page
        .locator('.field select')
        .first()
        .evaluate((select) => {
          const { font, paddingInline } = getComputedStyle(select)
          const context = document.createElement('canvas').getContext('2d')
          if (context === null) return [0, 1]
          context.font = font
          const [chosen] = (select as HTMLSelectElement).selectedOptions
          return [
            select.clientWidth - 2 * Number.parseFloat(paddingInline),
            context.measureText(chosen?.text ?? '').width,
          ]
        })
      // The arrow of the browser.
      expect([group, (width ?? 0) + 16 <= (room ?? 0)]).toEqual([group, true])
    }
  })

  it.each([320, 390])('keeps the times under its charts apart at %i px', async (width) => {
    const page = await dashboard.open({ hash: '#overview', width, height: 844, theme: 'eink' })
    for (const view of ['overview', 'resets']) {
      await goTo(page, view)
      await page.locator('.flow .tick').first().waitFor()
      const gaps = await page.locator('svg.flow').evaluateAll((charts) =>
        charts.flatMap((chart) => {
          const boxes = [...chart.querySelectorAll('.tick, .strong')]
            .map((text) => text.getBoundingClientRect())
            .filter(({ width: shown }) => shown > 0)
            .sort((one, other) => one.left - other.left)
          return boxes.slice(1).map((box, index) => box.left - (boxes[index]?.right ?? 0))
        }),
      )
      expect([view, gaps.length > 1, Math.min(...gaps) >= 4]).toEqual([view, true, true])
      expect(await meetings(page, 'svg.flow')).toEqual([])
    }
  })
})

describe('on a phone the dashboard', () => {
  const dashboard = chinese

  it('has letters of 14 px or more for e-ink in 320 px, and its head in one row', async () => {
    const page = await dashboard.open({ width: 320, height: 640, theme: 'eink' })
    for (const view of VIEWS) {
      await goTo(page, view)
      expect([view, await lettersBelow(page, 14)]).toEqual([view, []])
    }
    const tools = await page
      .locator('.tools > :is(.age, .pill, .button)')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().bottom))
    expect(Math.max(...tools)).toBeLessThan(60)
    expect(await overflows(page)).toBe(0)
  })

  it.each([320, 390])('names whatever comes back, and when, at %d px', async (width) => {
    const page = await dashboard.open({ hash: '#overview', width, height: 844 })
    for (const [view, rows] of [
      ['overview', '.returns li:not(.more)'],
      ['resets', '.resets tbody tr'],
    ] as const) {
      await goTo(page, view)
      for (const name of await shownOf(page, `${rows} .name`))
        expect([view, name.text, name.width > 40]).toEqual([view, name.text, true])
      expect(await meetings(page, rows)).toEqual([])
    }
    const below = await page
      .locator('.resets tbody .in')
      .first()
      .evaluate((cell) => getComputedStyle(cell, '::after').content)
    expect(below).toMatch(/\d\d:\d\d/)
  })

  it.each([
    { width: 390, theme: 'light' },
    { width: 390, theme: 'eink' },
    { width: 320, theme: 'light' },
    { width: 320, theme: 'eink' },
  ] as const)('keeps what is left in its row at $width px in $theme', async ({ width, theme }) => {
    const page = await dashboard.open({ hash: '#accounts', width, height: 844, theme })
    const rows = '.accounts tbody tr:not(.spacer, .group)'
    expect(await meetings(page, rows)).toEqual([])
    // Letters for e-ink in 320 px leave no room for two windows side by side.
    if (width !== 320 || theme !== 'eink')
      expect(
        await page
          .locator(rows)
          .evaluateAll((all) => Math.max(...all.map((row) => row.getBoundingClientRect().height))),
      ).toBeLessThanOrEqual(65)
    // The account that is next, whose window waits for its first use, among them.
    for (const left of (await shownOf(page, `${rows} .window-left`)).slice(0, 2))
      expect([left.text, left.width > 20]).toEqual([expect.stringMatching(/^\d+%$/), true])
  })

  it.each(['light', 'eink'] as const)('has its two charts on one level in %s', async (theme) => {
    const page = await dashboard.open({ hash: '#overview', width: 1100, height: 900, theme })
    await page.locator('.flow').nth(1).waitFor()
    const tops = (selector: string) =>
      page
        .locator(selector)
        .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top)))
    const [one, other] = await tops('.flow')
    expect(other).toBe(one)
    // A line too many in one of them changes nothing.
    await page
      .locator('.facts')
      .first()
      .evaluate((facts) => facts.append('消耗'))
    const [after, otherAfter] = await tops('.flow')
    expect([after, (after ?? 0) > (one ?? 0)]).toEqual([otherAfter, true])
  })

  it('shows eight accounts of a list and its tabs', async () => {
    const page = await dashboard.open({ hash: '#accounts', width: 390, height: 844 })
    const [row, tabs] = await Promise.all([
      page.locator('.accounts tbody tr:not(.spacer, .group)').nth(7).boundingBox(),
      page.locator('.tabs').boundingBox(),
    ])
    expect((row?.y ?? Number.NaN) + (row?.height ?? 0)).toBeLessThanOrEqual(tabs?.y ?? 0)
  })

  it('keeps what of the chart is rarely changed behind one button', async () => {
    const page = await dashboard.open({ hash: '#stats', width: 390, height: 844 })
    const more = page.getByRole('button', { name: '更多', exact: true })
    const compare = page.getByRole('checkbox', { name: '对比', exact: true })
    expect(await compare.isVisible()).toBe(false)
    await more.click()
    expect(await compare.isVisible()).toBe(true)
    expect(await overflows(page)).toBe(0)
  })

  it('says how long there is time for what expires without turning a corner', async () => {
    const page = await dashboard.open({ hash: '#resets', width: 768, height: 1024 })
    const lines = await page
      .locator('.reclaim > :last-child')
      .evaluateAll((spans) => spans.map((span) => span.getBoundingClientRect().height))
    expect(lines.filter((height) => height > 30)).toEqual([])
  })
})

type Page = Awaited<ReturnType<ReturnType<typeof useDashboard>['open']>>

/** What of this is drawn. */
function shownOf(page: Page, selector: string) {
  return page.evaluate(
    (wanted) =>
      [...document.querySelectorAll(wanted)].map((element) => ({
        text: element.textContent ?? '',
        width: element.getBoundingClientRect().width,
      })),
    selector,
  )
}

const sticksOut = (element: Element) =>
  element.getBoundingClientRect().right >
  (element.parentElement?.getBoundingClientRect().right ?? 0) + 1

/** Words of these that are broken within, but for a name that is longer than any that people give. */
function brokenWordsOf(page: Page, selector: string) {
  return page.locator(selector).evaluateAll((elements) =>
    elements.flatMap((element) =>
      [...element.childNodes].flatMap((node) =>
        [...(node.textContent ?? '').matchAll(/[^\s-]+/g)].flatMap(({ 0: word, index }) => {
          const range = document.createRange()
          range.setStart(node, index)
          range.setEnd(node, index + word.length)
          const tops = [...range.getClientRects()].map(({ top }) => Math.round(top))
          return new Set(tops).size > 1 ? [word] : []
        }),
      ),
    ),
  )
}

/** Texts that are shown in smaller letters than this many pixels. */
function lettersBelow(page: Page, pixels: number) {
  return page.evaluate((least) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const small: string[] = []
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement
      const box = element?.getBoundingClientRect()
      if (element === null || box === undefined || node.textContent?.trim() === '') continue
      const isShown = element.checkVisibility() && box.width > 2 && box.height > 2
      if (isShown && Number.parseFloat(getComputedStyle(element).fontSize) < least)
        small.push(node.textContent ?? '')
    }
    return small
  }, pixels)
}

/** Texts of which a part is cut off. */
function cutIn(page: Page, selector: string) {
  return page.evaluate(
    (wanted) =>
      [...document.querySelectorAll<HTMLElement>(wanted)].flatMap((element) =>
        element.scrollWidth > element.clientWidth && getComputedStyle(element).display !== 'inline'
          ? [element.innerText]
          : [],
      ),
    selector,
  )
}

/** Texts of these rows that are drawn over one another, or stand below their row. */
function meetings(page: Page, rows: string) {
  return page.evaluate((wanted) => {
    const drawn = (row: Element) => {
      const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
      const texts: { readonly node: Node; readonly text: string; readonly box: DOMRect }[] = []
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const range = document.createRange()
        range.selectNodeContents(node)
        const shown = node.parentElement?.getBoundingClientRect()
        for (const box of range.getClientRects()) {
          // What an ellipsis stands for is not drawn.
          const right = Math.min(box.right, shown?.right ?? box.right)
          const bottom = Math.min(box.bottom, shown?.bottom ?? box.bottom)
          const isCutOff = box.top >= (shown?.bottom ?? box.bottom) - 2
          if (right > box.left && !isCutOff)
            texts.push({
              node,
              text: node.textContent ?? '',
              box: new DOMRect(box.left, box.top, right - box.left, bottom - box.top),
            })
        }
      }
      return texts
    }
    return [...document.querySelectorAll(wanted)].flatMap((row) => {
      const texts = drawn(row)
      const { bottom } = row.getBoundingClientRect()
      const below = texts.filter(({ box }) => box.bottom > bottom + 2).map(({ text }) => text)
      const over = texts.flatMap(({ node, text, box }, index) =>
        texts
          .slice(index + 1)
          .filter(
            (other) =>
              other.node !== node &&
              Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left) > 2 &&
              Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top) > 6,
          )
          .map((other) => `${text} / ${other.text}`),
      )
      return [...below, ...over]
    })
  }, rows)
}
