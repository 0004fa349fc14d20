import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
)
/** Reason why no browser test can run here; null if they can. CI skips nothing. */
export const whyNoBrowser =
  CHROMIUM === undefined && process.env.CI === undefined
    ? 'skipped, because there is no Chromium'
    : null

/** The last four stop requests to hosts of the browser's vendor. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function launchBrowser(): Promise<Browser> {
  // A library that is loaded before all others, such as the one that fakes the time, makes Chromium hang.
  const { LD_PRELOAD: _, ...env } = process.env as Record<string, string>
  return chromium.launch({ executablePath: CHROMIUM ?? '/usr/bin/chromium', args: FLAGS, env })
}

export type Theme = 'light' | 'dark' | 'eink'

export interface OpenOptions {
  readonly hash?: string
  readonly width?: number
  readonly height?: number
  readonly theme?: Theme
  readonly privacy?: boolean
}

/** Items of the page's storage. */
const kept = ({ theme, privacy }: OpenOptions) =>
  Object.entries({ theme, privacy }).flatMap(([name, value]) =>
    value === undefined ? [] : { name: `quota.${name}`, value: JSON.stringify(value) },
  )

/** Opens the dashboard in a browser profile of its own and waits until it shows numbers. */
export async function openDashboard(browser: Browser, url: string, options: OpenOptions = {}) {
  const { origin } = new URL(url)
  const sizeOf = ({ width = 1280, height = 800 }: OpenOptions) => ({ width, height })
  const context = await browser.newContext({
    viewport: sizeOf(options),
    // A picture, or what axe measures of a colour, is not one of a row that fades in.
    reducedMotion: 'reduce',
    storageState: { cookies: [], origins: [{ origin, localStorage: kept(options) }] },
  })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  /** Errors of the page and its requests to other hosts. Network failures are left out, because the tests cause them. */
  const problems: string[] = []
  page.on('console', (message) => {
    const isNetwork = /Failed to load resource|net::ERR_/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !isNetwork) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    const asked = new URL(request.url())
    if (asked.protocol !== 'data:' && asked.origin !== origin)
      problems.push(`asked ${asked.origin}`)
  })
  const showsNumbers = async () => {
    await page.locator('.top').waitFor()
    await page.locator('#view > *').first().waitFor()
    // The last of the first answers: from here on the page has heard from the monitor.
    await page.locator('.top .pill').first().waitFor({ state: 'attached' })
  }
  await page.goto(`${url}/${options.hash ?? ''}`)
  await showsNumbers()
  return {
    page,
    context,
    problems,
    /** Loads the page anew in an emptied profile, which takes a quarter of what a new profile takes. */
    async reopen(next: OpenOptions) {
      // An answer that a test is still changing has nobody left to wait for it.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.clearPermissions()
      await page.emulateMedia({ media: null, forcedColors: null })
      await page.setViewportSize(sizeOf(next))
      await page.mouse.move(0, 0)
      await page.evaluate(
        ([address, items]) => {
          localStorage.clear()
          sessionStorage.clear()
          for (const { name, value } of items) localStorage.setItem(name, value)
          scrollTo(0, 0)
          history.replaceState(null, '', address)
        },
        [`/${next.hash ?? ''}`, kept(next)] as const,
      )
      await page.reload()
      await showsNumbers()
    },
    async close() {
      if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
    },
  }
}

export type OpenedPage = Awaited<ReturnType<typeof openDashboard>>

/** Violations that axe finds on the current page, one line each. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // By way of the debugger: the page itself may run nothing but its own files.
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const { axe: engine } = globalThis as unknown as { axe: typeof import('axe-core') }
    // Left out of a plain run though the guidelines ask for it.
    const rules = { 'target-size': { enabled: true } }
    return (await engine.run(document, { rules })).violations.map(({ id, nodes }) => ({
      id,
      targets: nodes.map(({ html }) => html.slice(0, 160)),
    }))
  })
  return violations.map(({ id, targets }) => `${id}: ${targets.slice(0, 3).join(' | ')}`)
}
