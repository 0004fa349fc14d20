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
})
