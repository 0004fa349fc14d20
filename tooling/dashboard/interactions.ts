import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { startMeasuredService, untilSampled } from '../bench/measured-service.ts'
import { pause } from '../eventually.ts'
import { launchBrowser, openDashboard } from './browser.ts'

/*
 * How long the page takes to show what a press of a key or a button does, in a large pool: the Event Timing of the browser, from the press to the
 * next picture, in milliseconds (Chromium rounds it to 8).
 *
 *     npm run build && node tooling/dist/dashboard/interactions.js --accounts 1000 --throttle 1
 *
 * With `--at <url>` of a monitor that runs already, of which `--provider` shows a part.
 */
const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000' },
    throttle: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    at: { type: 'string' },
    provider: { type: 'string' },
  },
})
const SETTLE_MS = 700

/** What somebody does in the table of accounts; each begins where the one before ended. */
const interactions: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'type in the search': async (page) => {
    await page.locator('#search').pressSequentially('user12', { delay: 120 })
  },
  'clear the search': async (page) => {
    for (let letter = 0; letter < 6; letter += 1)
      await page.locator('#search').press('Backspace', { delay: 60 })
  },
  'sort by a column': async (page) => {
    for (const column of ['points', 'five', 'who', 'rank'])
      await page.locator(`th.${column} button`).first().click()
  },
  filter: async (page) => {
    for (const place of [1, 2, 0]) await page.locator('.chips .chip').nth(place).click()
  },
  'open the details': async (page) => {
    for (const place of [2, 5, 9])
      await page.locator('table.accounts tbody tr:not(.spacer, .group)').nth(place).click()
  },
  'close the details': async (page) => {
    await page.keyboard.press('Escape')
  },
  'go down the rows': async (page) => {
    await page.locator('#search').blur()
    for (let row = 0; row < 12; row += 1) await page.keyboard.press('j')
  },
  scroll: async (page) => {
    for (let turn = 0; turn < 12; turn += 1) {
      await page.mouse.wheel(0, 900)
      await page.waitForTimeout(60)
    }
    await page.mouse.wheel(0, -20_000)
  },
  'to the overview': (page) => page.keyboard.press('1'),
  'to the resets': (page) => page.keyboard.press('3'),
  'back to the accounts': (page) => page.keyboard.press('2'),
}

interface Watched {
  /** Longest time from a press to the next picture. */
  readonly nextPaintMs: number
  /** Longest of it spent in the page's own code. */
  readonly ownMs: number
  /** Longest task, whatever caused it. */
  readonly taskMs: number
}

/** Begins to note presses and long tasks, and tells those since the last call. */
async function watch(page: Page): Promise<() => Promise<Watched>> {
  await page.evaluate(() => {
    const noted = { events: [] as PerformanceEventTiming[], tasks: [] as PerformanceEntry[] }
    Object.assign(globalThis, { noted })
    new PerformanceObserver((list) => {
      noted.events.push(...(list.getEntries() as PerformanceEventTiming[]))
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
    new PerformanceObserver((list) => {
      noted.tasks.push(...list.getEntries())
    }).observe({ type: 'longtask' })
  })
  return () =>
    page.evaluate(() => {
      const { noted } = globalThis as unknown as {
        noted: { events: PerformanceEventTiming[]; tasks: PerformanceEntry[] }
      }
      const longest = (times: readonly number[]) => Math.round(Math.max(0, ...times))
      const result = {
        nextPaintMs: longest(noted.events.map(({ duration }) => duration)),
        ownMs: longest(
          noted.events.map(({ processingStart, processingEnd }) => processingEnd - processingStart),
        ),
        taskMs: longest(noted.tasks.map(({ duration }) => duration)),
      }
      noted.events = []
      noted.tasks = []
      return result
    })
}

const service = values.at === undefined ? await startPool(Number(values.accounts)) : null
const browser = await launchBrowser()
const hash = values.provider === undefined ? '#accounts' : `#accounts?provider=${values.provider}`
const { page, close } = await openDashboard(browser, service?.url ?? values.at ?? '', { hash })
await page.locator('table.accounts tbody tr').nth(5).waitFor()
const debug = await page.context().newCDPSession(page)
await debug.send('Emulation.setCPUThrottlingRate', { rate: Number(values.throttle) })
const read = await watch(page)
await page.waitForTimeout(3_000)
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const [what, act] of Object.entries(interactions)) {
    await act(page)
    await page.waitForTimeout(SETTLE_MS)
    console.log(JSON.stringify({ round, what, ...(await read()) }))
  }
}
// Three evaluations at least, each of which the page asks for and shows.
await page.waitForTimeout(50_000)
console.log(JSON.stringify({ what: 'a poll that brings changes', ...(await read()) }))
await close()
await browser.close()
await service?.stop()

async function startPool(accounts: number) {
  const started = await startMeasuredService(accounts, {
    factor: 30,
    seconds: Math.ceil((accounts / 600) * 2.4) + 4,
  })
  await pause(5_000)
  await untilSampled(started, 60_000)
  return started
}
