import { describe, expect, it } from 'vitest'
import { useDashboard } from '../../../tooling/dashboard/dashboard-fixture.ts'

describe('the frame of the dashboard', () => {
  const dashboard = useDashboard()

  it('can be installed: its manifest and its icons are files of the page', async () => {
    const page = await dashboard.open()
    const href = await page.locator('link[rel=manifest]').getAttribute('href')
    const address = new URL(href ?? '', dashboard.demo().url)
    const manifest = (await (await fetch(address)).json()) as {
      readonly icons: readonly { readonly src: string; readonly sizes: string }[]
    }
    const sizes = await page.evaluate(
      async (sources) =>
        Promise.all(
          sources.map(async (src) => {
            const picture = new Image()
            picture.src = src
            await picture.decode()
            return `${picture.naturalWidth}x${picture.naturalHeight}`
          }),
        ),
      manifest.icons.map(({ src }) => new URL(src, address).pathname),
    )

    expect(sizes).toEqual(['192x192', '512x512'])
    expect(manifest.icons.map((icon) => icon.sizes)).toEqual(sizes)
  })

  it.each([
    { width: 320, height: 256, what: '1280 × 1024 at 400 %' },
    { width: 360, height: 300, what: 'a phone on its side, with its keyboard open' },
    { width: 320, height: 568, what: 'a small phone' },
  ])('has everything of its head in reach at $width × $height, $what', async (size) => {
    const page = await dashboard.open(size)
    await page.locator('.menu summary').click()
    const outside = await page.evaluate(() =>
      [...document.querySelectorAll('.top :is(a, button, summary, .age, label)')].flatMap(
        (element) => {
          const { left, right, width } = element.getBoundingClientRect()
          return width > 0 && left >= 0 && right <= innerWidth ? [] : [element.outerHTML]
        },
      ),
    )

    expect(outside).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width)
    await page.locator('.menu summary').click()
    for (const view of ['accounts', 'health']) {
      await page.locator(`#tab-${view}`).click()
      await expect.poll(() => page.locator(`.view-${view}`).count()).toBe(1)
    }
    await page.locator('.menu summary').click()
    await page.locator('.popup button', { hasText: 'Keyboard shortcuts' }).click()
    expect(await page.locator('dialog.sheet').isVisible()).toBe(true)
  })
})
