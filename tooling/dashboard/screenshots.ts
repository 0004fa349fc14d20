import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { freePort } from '../service/built-program.ts'
import { startService } from '../service/start-service.ts'
import { top } from '../top.ts'
import { launchBrowser, type OpenOptions, openDashboard, type Theme } from './browser.ts'

/**
 * Takes pictures of the demo: those of the README or, with `--into <folder>`, the whole of each view in each width, language and theme. Lists narrow
 * the choice, as in `--into /tmp/pictures --views overview,health --widths 320 --languages zh-CN --themes dark`. `--at <url>` takes them of a running
 * monitor, in its own language.
 */

/** Pictures of the README. */
const pictures: Readonly<Record<string, OpenOptions>> = {
  overview: { hash: '#overview', theme: 'light' },
  'overview-dark': { hash: '#overview', theme: 'dark' },
  'overview-phone': { hash: '#overview', theme: 'light', width: 390, height: 844 },
  'overview-eink': { hash: '#overview', theme: 'eink', width: 600, height: 800 },
  accounts: { hash: '#accounts/91187035ff4e1cbf', theme: 'light' },
  stats: { hash: '#stats', theme: 'light' },
  health: { hash: '#health', theme: 'light' },
}

/** Address fragment that opens each view. */
const VIEWS: Readonly<Record<string, string>> = {
  overview: '#overview',
  accounts: '#accounts',
  account: '#accounts/91187035ff4e1cbf',
  resets: '#resets',
  stats: '#stats',
  health: '#health',
  prices: '#prices',
}
const WIDTHS = ['320', '390', '768', '1024', '1280', '2560']
const LANGUAGES = ['en', 'zh-CN']
const THEMES = ['light', 'dark', 'eink']

/** The demo shows numbers before it has written its past; after this time it surely has. */
const PAST_MS = 60_000
/** Time for the first reading of the usage and for the chart. */
const SETTLE_MS = 2_500
/** Time for the chart of a service that has run for a while. */
const DRAWN_MS = 600

const { values: options } = parseArgs({
  options: {
    into: { type: 'string' },
    at: { type: 'string' },
    views: { type: 'string', default: Object.keys(VIEWS).join() },
    widths: { type: 'string', default: WIDTHS.join() },
    languages: { type: 'string', default: LANGUAGES.join() },
    themes: { type: 'string', default: THEMES.join() },
  },
})

const browser = await launchBrowser()
if (options.into === undefined) await takeForReadme(browser)
else await takeEach(browser, resolve(options.into))
await browser.close()

async function takeForReadme(browser: Browser): Promise<void> {
  const folder = join(top, 'docs/images')
  mkdirSync(folder, { recursive: true })
  const demo = await startDemo('en')
  for (const [name, picture] of Object.entries(pictures)) {
    const { page, close } = await openDashboard(browser, demo.url, picture)
    await page.waitForTimeout(SETTLE_MS)
    await page.screenshot({ path: join(folder, `${name}.png`) })
    await close()
  }
  await demo.stop()
}

/** Takes a full-page picture of each view, as in `overview-390-zh-CN-dark.png`. */
async function takeEach(browser: Browser, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const languages = options.at === undefined ? options.languages.split(',') : ['live']
  for (const language of languages) {
    const demo = options.at === undefined ? await startDemo(language) : { url: options.at }
    for (const theme of options.themes.split(',')) {
      for (const width of options.widths.split(',').map(Number)) {
        const { page, close } = await openDashboard(browser, demo.url, {
          theme: theme as Theme,
          width,
          height: width < 700 ? 844 : 800,
        })
        await page.waitForTimeout(SETTLE_MS)
        for (const view of options.views.split(',')) {
          await page.evaluate((hash) => {
            location.hash = hash
          }, VIEWS[view] ?? `#${view}`)
          await page.waitForLoadState('networkidle')
          await page.waitForTimeout(DRAWN_MS)
          if (view === 'health') await page.locator('.days :is(table, .empty)').waitFor()
          const path = join(folder, `${view}-${width}-${language}-${theme}.png`)
          await page.screenshot({ path, fullPage: true })
        }
        await close()
      }
    }
    if ('stop' in demo) await demo.stop()
  }
}

/** Starts the demo and waits until it has a past, because users hardly ever see a chart without one. */
async function startDemo(language: string) {
  const demo = await startService({
    where: 'program',
    args: ['--demo', '--display-language', language, '--port', String(await freePort())],
  })
  for (const endMs = Date.now() + PAST_MS; Date.now() < endMs; ) {
    const { page, close } = await openDashboard(browser, demo.url, { hash: '#overview' })
    await page.waitForTimeout(SETTLE_MS)
    const drawn = await page.locator('.flow .line').count()
    await close()
    if (drawn > 0) break
  }
  return demo
}
