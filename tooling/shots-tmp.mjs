import { chromium } from 'playwright-core'
const [,, out, base, spec] = process.argv
// spec: name|hash|theme|width|provider ; ...
const { LD_PRELOAD: _, ...env } = process.env
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu'], env })
for (const one of spec.split(';')) {
  const [name, hash, theme, width] = one.split('|')
  const context = await browser.newContext({ viewport: { width: Number(width), height: Number(width) < 700 ? 844 : 900 }, reducedMotion: 'reduce', forcedColors: theme === 'forced' ? 'active' : 'none' })
  const page = await context.newPage()
  page.on('pageerror', (e) => console.log(name, 'ERROR', e.message))
  page.on('console', (m) => { if (['error','warning'].includes(m.type())) console.log(name, m.text()) })
  if (theme !== 'forced') await page.addInitScript((t) => localStorage.setItem('quota.theme', JSON.stringify(t)), theme)
  await page.goto(`${base}/${hash}`)
  await page.locator('.top .pill').first().waitFor({ state: 'attached' })
  await page.waitForTimeout(2500)
  await page.screenshot({ path: `${out}/${name}.png`, fullPage: process.env.FULL === '1' })
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  if (wide > 0) console.log(name, 'scrolls sideways by', wide)
  await context.close()
}
await browser.close()
