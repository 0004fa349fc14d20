import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { freePort } from '../service/built-program.ts'
import {
  type LocalOptions,
  type ProxiedService,
  type ServiceProcess,
  startService,
} from '../service/start-service.ts'
import { top } from '../top.ts'
import {
  launchBrowser,
  type OpenedPage,
  type OpenOptions,
  openDashboard,
  whyNoBrowser,
} from './browser.ts'

/** Names of the views, read from the source text of their table, because loading it takes a browser. */
export const VIEWS: readonly string[] = [
  ...readFileSync(join(top, 'apps/dashboard/src/views/view-table.ts'), 'utf8').matchAll(
    /\{ id: '([\w-]+)'/g,
  ),
].map(([, id = '']) => id)
/** Key of an account of the demo that is about to lose quota. */
export const AN_ACCOUNT = '91187035ff4e1cbf'

/**
 * Provides a browser, the demo with these flags and one page for the tests of this block; fails a test in which the page had problems. The page of the
 * demo is loaded anew for each test, unless one has closed it.
 */
export function useDashboard(flags: readonly string[] = []) {
  let browser: Browser
  let demo: ServiceProcess
  let opened: OpenedPage | null = null
  let openedUrl = ''
  let live: ProxiedService | null = null

  const close = async () => {
    await opened?.close()
    opened = null
  }

  beforeAll(async () => {
    if (whyNoBrowser !== null) return
    browser = await launchBrowser()
    demo = await startService({
      where: 'program',
      args: ['--demo', ...flags, '--port', String(await freePort())],
    })
  })
  beforeEach((context) => {
    if (whyNoBrowser !== null) context.skip(whyNoBrowser)
  })
  afterAll(async () => {
    await browser?.close()
    await demo?.stop()
  })
  afterEach(async () => {
    const problems = opened?.problems.splice(0)
    if (live !== null) await close()
    await live?.stop()
    live = null
    expect(problems ?? []).toEqual([])
  })

  return {
    /** The service with the sample pool, shared by all tests of the file. */
    demo: () => demo,
    /** Opens the page, of the demo unless another address is given. Only one page is open at a time. */
    async open(options: OpenOptions = {}, url = demo.url) {
      if (opened !== null && openedUrl === url && !opened.page.isClosed())
        await opened.reopen(options)
      else {
        await close()
        opened = await openDashboard(browser, url, options)
        openedUrl = url
      }
      return opened.page
    },
    /** A service in front of a fake proxy, ended after the test. */
    async live(options: LocalOptions) {
      live = await startService({ where: 'here', ...options })
      return live
    },
  }
}

/** Horizontal overflow of the page, in pixels. */
export const overflows = (page: Page) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))

/** Goes to another view of a page that is open. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((wanted) => {
    location.hash = wanted
  }, hash)
  const view = hash.split(/[/?]/)[0]
  await page.locator(`.view-${view} > *`).first().waitFor()
  if (view === 'health') await page.locator('.days :is(table, .empty)').waitFor()
  if (view === 'stats')
    await page.locator('.usage-chart canvas, .view-stats .empty').first().waitFor()
}

/** Everything a person or a program could read on the page. */
export const everything = (page: Page) =>
  page.evaluate(
    () => `${document.title}\n${document.documentElement.outerHTML}\n${document.body.innerText}`,
  )

/** Value that the page has stored in this browser under a name. */
export const stored = (page: Page, name: string) =>
  page.evaluate(
    (key) => JSON.parse(localStorage.getItem(`quota.${key}`) ?? 'null') as unknown,
    name,
  )
