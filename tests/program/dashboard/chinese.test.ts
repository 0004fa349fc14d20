import type { Health, StatsSeries, StatusSnapshot } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { axeViolations, type Theme } from '../../../tooling/dashboard/browser.ts'
import {
  AN_ACCOUNT,
  goTo,
  overflows,
  useDashboard,
  VIEWS,
} from '../../../tooling/dashboard/dashboard-fixture.ts'

/** Names, keys, units and formats that are the same in every language. */
const KEPT_WORDS = new Set(
  'Plus Prolite Team Pro Business Edu Enterprise Free Go Codex Claude xAI Kimi Antigravity Kiro Gemini Max Opus token Token API CSV JSON UTC JavaScript OK Esc Prometheus Alertmanager ntfy Telegram Discord Slack Bark webhook'.split(
    ' ',
  ),
)
/** What is no word: windows, settings, paths, options, commands, instants. */
const CODE = /\S+\.json|\b5h\b|\b\w+(?:[_-]\w+)+|\/api\/\S+\w|--[\w-]+|`[^`]*`|\d[\d-]+T[\d:.]+Z/g

describe('the dashboard in Chinese', () => {
  const dashboard = useDashboard(['--display-language', 'zh-CN'])

  /** Polled, because what the page shows is a moment older than what is asked here. */
  const expectNoEnglish = (page: Page) =>
    expect
      .poll(async () => englishOn(page, await namesIn(dashboard.demo().url)), { timeout: 20_000 })
      .toEqual([])

  it.each(VIEWS)('leaves no word in English on %s', async (view) => {
    const page = await dashboard.open()
    await goTo(page, view === 'accounts' ? `accounts/${AN_ACCOUNT}` : view)
    await expectNoEnglish(page)
    expect(await page.title()).toMatch(/\p{sc=Han}.* · 配额$/u)
  })

  it.each(['.sheet.palette', '.sheet[open]:not(.palette)', '.words'])(
    'leaves none in the menu, nor in %s that it opens',
    async (opened) => {
      const page = await dashboard.open({ hash: '#health' })
      await page.locator('.top .menu summary').click()
      await expectNoEnglish(page)
      // In this order after the choice of the theme.
      const index = ['.sheet.palette', '.sheet[open]:not(.palette)', '.words'].indexOf(opened)
      await page.locator('.top .menu .popup > button').nth(index).click()
      await page.locator(opened).waitFor()
      await expectNoEnglish(page)
    },
  )

  it.each<Theme>(['light', 'dark'])('has nothing that axe finds in %s', async (theme) => {
    const page = await dashboard.open({ theme })
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
    for (const view of VIEWS) {
      await goTo(page, view === 'accounts' ? `accounts/${AN_ACCOUNT}` : view)
      expect([view, await axeViolations(page)]).toEqual([view, []])
    }
  })

  it('needs no sideways scrolling on any view, down to 320 px', async () => {
    const page = await dashboard.open()
    for (const view of VIEWS) {
      await goTo(page, view)
      for (const width of [1280, 600, 320]) {
        await page.setViewportSize({ width, height: 700 })
        await page.waitForTimeout(150)
        expect([view, width, await overflows(page)]).toEqual([view, width, 0])
      }
    }
  })

  it('cuts no state short on a phone', async () => {
    for (const theme of ['light', 'eink'] as const) {
      const page = await dashboard.open({ hash: '#accounts', theme })
      await page.setViewportSize({ width: 390, height: 2200 })
      const states = page.locator('.accounts tbody td.state')
      await expect.poll(() => states.count()).toBeGreaterThan(20)
      const cut = await states.evaluateAll((cells) =>
        cells.flatMap((cell) => (cell.scrollWidth > cell.clientWidth ? cell.textContent : [])),
      )
      expect([theme, cut]).toEqual([theme, []])
    }
  })

  it('cuts no age of a reading short on a wide screen', async () => {
    const page = await dashboard.open({ hash: '#accounts', width: 1920, height: 1400 })
    const samples = page.locator('.accounts tbody td.sample')
    await expect.poll(() => samples.count()).toBeGreaterThan(20)
    const cut = await samples.evaluateAll((cells) =>
      cells
        .flatMap((cell) => [cell, ...cell.querySelectorAll('*')])
        .flatMap((part) =>
          part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 1 ? part.textContent : [],
        ),
    )
    expect(cut).toEqual([])
  })

  it.each<Theme>(['light', 'eink'])(
    'keeps the parts of a window apart on a small phone, and every choice whole, in %s',
    async (theme) => {
      const page = await dashboard.open({ hash: '#accounts', theme })
      await page.setViewportSize({ width: 320, height: 2600 })
      const windows = page.locator('.accounts tbody .window:has(.window-return:not(:empty))')
      await expect.poll(() => windows.count()).toBeGreaterThan(20)
      const places = await windows.evaluateAll((all) =>
        all.map((window) => {
          const [name, left, time] = ['.window-name', '.window-left', '.window-return'].map(
            (part) => {
              const range = document.createRange()
              range.selectNodeContents(window.querySelector(part)?.firstChild ?? window)
              return range.getBoundingClientRect()
            },
          )
          return {
            text: window.textContent,
            gaps: [
              (left?.left ?? Number.NaN) - (name?.right ?? Number.NaN),
              (time?.left ?? Number.NaN) - (left?.right ?? Number.NaN),
            ],
            over: (time?.right ?? Number.NaN) - window.getBoundingClientRect().right,
          }
        }),
      )
      expect(
        places.filter(({ gaps, over }) => over > 0.5 || gaps.some((gap) => !(gap > 2.1))),
      ).toEqual([])

      await goTo(page, 'stats')
      const choices = page.locator('.controls > .choice')
      await choices.first().waitFor()
      expect(
        await choices.evaluateAll((all) =>
          all.map((choice) => choice.scrollWidth - choice.clientWidth),
        ),
      ).toEqual([0])
    },
  )

  it('finds accounts by the words of their rows', async () => {
    const page = await dashboard.open({ hash: '#accounts' })
    const states = page.locator('.accounts tbody .status .words > :first-child')
    const state = await page.locator('.accounts .blocked .status .words').first().innerText()
    const [word = ''] = state.split('\n')
    expect(word).toMatch(/\p{sc=Han}/u)
    const wanted = (await states.allInnerTexts()).filter((text) => text === word)
    await page.locator('#search').fill(word)

    await expect.poll(() => states.allInnerTexts()).toEqual(wanted)
  })

  it('is called in Chinese where it is installed', async () => {
    const page = await dashboard.open()
    const href = await page.locator('link[rel=manifest]').getAttribute('href')
    const manifest = (await (await fetch(new URL(href ?? '', dashboard.demo().url))).json()) as {
      readonly name: string
      readonly lang: string
    }
    expect(manifest).toMatchObject({ name: '配额', lang: 'zh-CN' })
  })
})

type Page = Awaited<ReturnType<ReturnType<typeof useDashboard>['open']>>

/** English words on the page, each with the text it stands in, but for names and code. */
async function englishOn(page: Page, names: readonly string[]): Promise<readonly string[]> {
  const texts = await page.evaluate(() => {
    const found = [document.title]
    for (const element of document.body.querySelectorAll('*')) {
      if (element.closest('script, code, kbd, bdi, .suffix, .mono') !== null) continue
      for (const name of ['aria-label', 'aria-valuetext', 'title', 'placeholder'])
        found.push(element.getAttribute(name) ?? '')
      for (const node of element.childNodes)
        if (node.nodeType === Node.TEXT_NODE) found.push(node.textContent ?? '')
    }
    return [...new Set(found.map((text) => text.trim()))]
  })
  return texts.flatMap((text) => {
    const own = names.reduce((rest, name) => rest.replaceAll(name, ''), text).replace(CODE, '')
    const words = (own.match(/[A-Za-z]{2,}/g) ?? []).filter((word) => !KEPT_WORDS.has(word))
    return words.length > 0 ? [`${words.join(' ')} in "${text}"`] : []
  })
}

interface Named {
  readonly title?: string
  readonly label?: string
}

/** What people have called accounts, clients and targets, and kinds of those, the longest first. */
async function namesIn(url: string): Promise<readonly string[]> {
  const answered = async <Body>(path: string) =>
    (await (await fetch(`${url}/api/v1/${path}`)).json()) as Body
  const { tabs } = await answered<StatusSnapshot>('status?provider=all')
  const { breakdown } = await answered<StatsSeries>('stats/series?range=24h&group=client')
  const { messages = [] } = await answered<Health>('health')
  const named: readonly Named[] = [...tabs.pool.accounts, ...breakdown.items]
  return [
    ...named.map(({ title, label }) => title ?? label ?? ''),
    ...messages.flatMap(({ name, kind }) => [name, kind]),
  ]
    .flatMap((name) => [name, name.split(' · ')[0] ?? ''])
    .filter((name) => name !== '')
    .sort((a, b) => b.length - a.length)
}
