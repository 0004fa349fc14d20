import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { axeViolations } from '../../../tooling/dashboard/browser.ts'
import { everything, useDashboard } from '../../../tooling/dashboard/dashboard-fixture.ts'
import { top } from '../../../tooling/top.ts'

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
    await page.locator('.top .menu summary').click()
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
    await page.locator('.top .menu summary').click()
    for (const view of ['accounts', 'health']) {
      await page.locator(`#tab-${view}`).click()
      await expect.poll(() => page.locator(`.view-${view}`).count()).toBe(1)
    }
    await page.locator('.top .menu summary').click()
    await page.locator('.popup button', { hasText: 'Keyboard shortcuts' }).click()
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  })

  it('keeps the focus in the details of an account on a phone, and gives it back', async () => {
    const page = await dashboard.open({ hash: '#accounts', width: 390, height: 844 })
    await page.locator('.accounts .open').nth(2).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Account details' }).waitFor()
    const isInside = () =>
      page.evaluate(() => document.activeElement?.closest('.drawer, body')?.className === 'drawer')
    await expect.poll(isInside).toBe(true)
    for (const key of ['Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab']) {
      await page.keyboard.press(key)
      const isOnPage = await page.evaluate(() => document.activeElement !== document.body)
      expect(!isOnPage || (await isInside())).toBe(true)
    }
    await page.keyboard.press('Escape')
    await page.locator('.drawer').waitFor({ state: 'detached' })
    await expect
      .poll(() =>
        page
          .locator('.accounts .open')
          .nth(2)
          .evaluate((link) => link.matches(':focus')),
      )
      .toBe(true)
  })

  it('closes the details by going back, so that Back does not open them again', async () => {
    const page = await dashboard.open({ hash: '#health' })
    await page.locator('#tab-accounts').click()
    await page.locator('.accounts .open').first().click()
    await page.locator('.drawer').waitFor()
    await page.evaluate(() => {
      for (const _ of [1, 2])
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
    })
    await page.locator('.drawer').waitFor({ state: 'detached' })
    expect(await page.evaluate(() => location.hash)).toBe('#accounts')
    await page.goBack()
    await expect.poll(() => page.locator('.view-health').count()).toBe(1)
  })

  it('fills a wall: no controls, numbers as large as the screen, and the browser may keep it awake', async () => {
    const page = await dashboard.open({
      hash: '#overview?provider=codex&kiosk=1',
      width: 1280,
      height: 800,
    })
    await page.locator('html[data-kiosk]').waitFor()
    const heightOfNumber = () =>
      page
        .locator('.capacity .big b')
        .first()
        .evaluate((b) => b.getBoundingClientRect().height)
    const before = await heightOfNumber()
    await page.setViewportSize({ width: 3840, height: 2160 })
    await expect.poll(heightOfNumber).toBeGreaterThan(2 * before)
    // A word that explains itself is no control.
    const controls = 'button:visible:not(.term > button), .top summary:visible, [role=tab]:visible'
    expect(await page.locator(controls).count()).toBe(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    const { headers } = await fetch(dashboard.demo().url)
    expect(headers.get('Permissions-Policy')).toContain('screen-wake-lock=(self)')
  })

  it('prints when it was, how old its data is and in which zone, dark on light whatever the theme', async () => {
    const page = await dashboard.open({ theme: 'dark' })
    expect(await page.locator('.print-head').isVisible()).toBe(false)
    await page.emulateMedia({ media: 'print' })

    expect(await page.locator('.print-head').innerText()).toMatch(
      /^Quota, Overview, Codex, \d+ \w+ \d{4} \d\d:\d\d\. Data of .+ old\. Times in /,
    )
    const colours = await page.evaluate(() => {
      const { color, backgroundColor } = getComputedStyle(document.body)
      return [color, backgroundColor]
    })
    expect(colours).toEqual(['rgb(18, 25, 26)', 'rgb(255, 255, 255)'])
  })

  it('tells the chosen tab by more than its weight where the system has the colours', async () => {
    const page = await dashboard.open()
    await page.emulateMedia({ forcedColors: 'active' })
    const lineOf = (tab: string) =>
      page.locator(`#tab-${tab}`).evaluate((link) => getComputedStyle(link).borderBottomColor)
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)

    // The styles of such a system come after the first view.
    await expect.poll(() => lineOf('stats')).toBe(paper)
    expect(await lineOf('overview')).not.toBe(paper)
  })

  it('hides names and labels in private, also in the files that it saves', async () => {
    const page = await dashboard.open({ hash: '#stats?group=client', privacy: true })
    await page.locator('.breakdown').waitFor()
    const labels = /Frontend team|CI runners|Ana's laptop/
    expect(await everything(page)).not.toMatch(labels)
    for (const [index, ending] of [
      [0, 'csv'],
      [1, 'json'],
    ] as const) {
      const saving = page.waitForEvent('download')
      await page.locator('.exports a').nth(index).click()
      const saved = await saving
      const text = readFileSync(await saved.path(), 'utf8')
      expect(saved.suggestedFilename()).toBe(`usage.${ending}`)
      expect(text).toMatch(/user-[0-9a-f]{4}/)
      expect(text).not.toMatch(labels)
    }
    await page.locator('#tab-accounts').click()
    await page.locator('.accounts').waitFor()
    expect(await everything(page)).not.toContain('Lefèvre')
  })

  it('says which version it is, that its data is made up, and what its words mean', async () => {
    const page = await dashboard.open()
    expect(await page.locator('.demo summary').innerText()).toBe('Demo data · connect your proxy')
    await page.locator('.top .menu summary').click()
    const { version } = JSON.parse(readFileSync(join(top, 'apps/cli/package.json'), 'utf8')) as {
      readonly version: string
    }
    expect(await page.locator('.top .popup').innerText()).toContain(`Version ${version}`)
    expect(await page.getByRole('link', { name: 'API contract' }).getAttribute('href')).toBe(
      '/api/v1/openapi.json',
    )
    await page.getByRole('button', { name: 'What the words mean' }).click()
    await page.getByRole('dialog', { name: 'What the words mean' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
  })
})
