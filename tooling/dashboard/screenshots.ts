import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../service/built-program.ts'
import { startService } from '../service/start-service.ts'
import { top } from '../top.ts'
import { launchBrowser, type OpenOptions, openDashboard } from './browser.ts'

/** Pictures of the demo, for the README and for review. */
const pictures: Readonly<Record<string, OpenOptions>> = {
  overview: { hash: '#overview', theme: 'light' },
  'overview-dark': { hash: '#overview', theme: 'dark' },
  'overview-phone': { hash: '#overview', theme: 'light', width: 390, height: 844 },
  'overview-eink': { hash: '#overview', theme: 'eink', width: 600, height: 800 },
  accounts: { hash: '#accounts/91187035ff4e1cbf', theme: 'light' },
  stats: { hash: '#stats', theme: 'light' },
  health: { hash: '#health', theme: 'light' },
}

/** Time for the first reading of the usage and for the chart. */
const SETTLE_MS = 2_500

const folder = join(top, 'docs/images')
mkdirSync(folder, { recursive: true })
const demo = await startService({
  where: 'program',
  args: ['--demo', '--port', String(await freePort())],
})
const browser = await launchBrowser()
for (const [name, options] of Object.entries(pictures)) {
  const { page, close } = await openDashboard(browser, demo.url, options)
  await page.waitForTimeout(SETTLE_MS)
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await close()
}
await browser.close()
await demo.stop()
