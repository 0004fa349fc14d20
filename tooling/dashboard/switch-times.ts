import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { median } from '../bench/goals.ts'
import { pause } from '../eventually.ts'
import { launchBrowser, openDashboard } from './browser.ts'

/**
 * Time from another choice of provider on the page to the last element drawn for it, and the processor time of the page's main thread until the measurement
 * ends, which does not depend on how fast a service answers. `npm run bench:switch -- --at http://127.0.0.1:4515` asks a running service; of several, as `--at <url>,<url>`, each is
 * asked in every round, so that a build is compared with another on the same machine and pool. A page that draws nothing for `--quiet` milliseconds has drawn
 * everything. Ten thousand accounts need more of both than the defaults, which are for a thousand.
 */

const { values } = parseArgs({
  options: {
    at: { type: 'string', default: 'http://127.0.0.1:4515' },
    rounds: { type: 'string', default: '9' },
    views: { type: 'string', default: 'overview,accounts' },
    providers: { type: 'string', default: 'claude,xai,all,codex' },
    quiet: { type: 'string', default: '900' },
    // For the first drawing, which is not measured.
    settle: { type: 'string', default: '2500' },
  },
})
const urls = values.at.split(',')
const providers = values.providers.split(',')

const browser = await launchBrowser()
for (const view of values.views.split(',')) {
  const measured = providers.map(() => urls.map((): Switch[] => []))
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const [place, url] of inTurn([...urls.entries()], round))
      for (const [choice, spent] of (await switchThrough(browser, url, view)).entries())
        measured[choice]?.[place]?.push(spent)
  for (const [choice, byUrl] of measured.entries())
    for (const [place, all] of byUrl.entries())
      console.log(
        `${view} ${providers[choice]}  ${urls[place]}  drawn after ${shown(all, 'drawnMs')}, work ${shown(all, 'workMs')}`,
      )
}
await browser.close()

/** Milliseconds of one switch. */
interface Switch {
  readonly drawnMs: number
  readonly workMs: number
}

/** Median, and each of the milliseconds. */
function shown(switches: readonly Switch[], which: keyof Switch): string {
  const all = switches.map((spent) => Math.round(spent[which])).sort((one, other) => one - other)
  return `${median(all)} ms (${all.join(' ')})`
}

/** Entries of a round, backwards in every other one, so that none is always the first. */
function inTurn<Entry>(entries: readonly Entry[], round: number): readonly Entry[] {
  return round % 2 === 0 ? entries : entries.toReversed()
}

/** The switches, from the last provider on, in a profile of its own. */
async function switchThrough(browser: Browser, url: string, view: string) {
  const hash = (provider = '') => `#${view}?provider=${provider}`
  const { page, close } = await openDashboard(browser, url, { hash: hash(providers.at(-1)) })
  await pause(Number(values.settle))
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Performance.enable')
  const workMs = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
  }
  const spent: Switch[] = []
  for (const provider of providers) {
    const before = await workMs()
    const drawnMs = await drawnAfter(page, hash(provider))
    spent.push({ drawnMs, workMs: (await workMs()) - before })
  }
  await close()
  return spent
}

/** Time from a change of the address to the frame with the last element that it adds to the view. */
function drawnAfter(page: Page, hash: string): Promise<number> {
  const wanted = { hash, quietMs: Number(values.quiet) }
  return page.evaluate(({ hash, quietMs }) => {
    const startedMs = performance.now()
    let drawnMs = startedMs
    return new Promise<number>((resolve) => {
      // A message that is sent in a frame arrives after it is drawn.
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        drawnMs = performance.now()
      }
      const observer = new MutationObserver((changes) => {
        if (changes.some(({ addedNodes }) => addedNodes.length > 0))
          requestAnimationFrame(() => port2.postMessage(0))
      })
      const view = document.getElementById('view')
      if (view !== null) observer.observe(view, { childList: true, subtree: true })
      location.hash = hash
      const timer = setInterval(() => {
        if (drawnMs === startedMs || performance.now() - drawnMs < quietMs) return
        clearInterval(timer)
        observer.disconnect()
        resolve(drawnMs - startedMs)
      }, 100)
    })
  }, wanted)
}
