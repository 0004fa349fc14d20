import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  AN_ACCOUNT,
  everything,
  useDashboard,
  VIEWS,
} from '../../../tooling/dashboard/dashboard-fixture.ts'

describe('the dashboard', () => {
  const dashboard = useDashboard()

  describe('shows', () => {
    it('at one glance how much is left, when more comes, which account next and what is wrong', async () => {
      const page = await dashboard.open()
      // What the demo went through is there a moment after it listens.
      await expect.poll(() => page.locator('main').innerText()).toMatch(/Pace\s+\d+\.\d Plus\/h/)
      const text = await page.locator('main').innerText()
      expect(text).toMatch(/5-hour quota\s+\d+\.\d of \d+ Plus usable\s+\d+%/)
      expect(text).toMatch(/Weekly quota\s+\d+\.\d of \d+ Plus usable/)
      expect(text).toMatch(/\d+\.\d measured\s+\d+\.\d stale\s+\d+\.\d unknown/)
      expect(text).toMatch(/Next\s+\+\d+\.\d Plus .*, in /)
      expect(text).toMatch(/Use next[\s\S]*of 100[\s\S]*Needs you[\s\S]*Comes back/)
      expect(await page.locator('.pill').innerText()).toMatch(/\d actions?/)
      expect(await page.locator('.age').innerText()).toMatch(/\d+ s ago/)
      expect(await page.title()).toMatch(
        /^Yes\. \d+\.\d Plus usable now, .* · ⚠ \d actions? · Overview · Quota$/,
      )
    })

    it.each([
      [1280, 800],
      [390, 844],
      [600, 800],
    ])('all of that without scrolling at %i × %i', async (width, height) => {
      const page = await dashboard.open({ width, height })
      for (const [what, locator] of [
        ['5h', page.locator('.capacity .big').nth(0)],
        ['5h bar', page.locator('.bar.large').nth(0)],
        ['week', page.locator('.capacity .big').nth(1)],
        ['week bar', page.locator('.bar.large').nth(1)],
        ['pill', page.locator('.pill')],
        ['age', page.locator('.age')],
        ['best', page.locator('.best .points')],
      ] as const) {
        const box = await locator.boundingBox()
        expect([what, box !== null && box.y >= 0 && box.y + box.height <= height]).toEqual([
          what,
          true,
        ])
      }
    })

    it.each<readonly [view: string, pattern: RegExp]>([
      ['accounts', /Blocked, \d+\.[\s\S]*for a reset/],
      ['resets', /Expires unused[\s\S]*expire unused[\s\S]*5-hour resets[\s\S]*Weekly resets/],
      ['stats', /tokens[\s\S]*requests[\s\S]*By client[\s\S]*CSV\s*JSON[\s\S]*CI runners/],
      [
        'health',
        /\d actions[\s\S]*Do: Log in again on the proxy\.[\s\S]*Sources[\s\S]*Gateway[\s\S]*Recent changes/,
      ],
    ])('%s', async (view, pattern) => {
      const page = await dashboard.open({ hash: `#${view}` })
      await expect.poll(() => page.locator('main').innerText()).toMatch(pattern)
    })

    it('why an account scores what it does, why one is blocked, and what a probe found', async () => {
      const page = await dashboard.open({ hash: `#accounts/${AN_ACCOUNT}` })
      const drawer = page.locator('.drawer')
      await drawer.getByText('For scripts').click()
      expect(await drawer.innerText()).toMatch(
        /Why this score[\s\S]*Capacity[\s\S]*\/ 40[\s\S]*Sum[\s\S]*Windows[\s\S]*5h[\s\S]*accountKey/,
      )
      const points = (await drawer.locator('tbody .of b').allInnerTexts()).map(Number)
      expect(points.reduce((sum, part) => sum + part, 0)).toBe(
        Number(await drawer.locator('.total b').innerText()),
      )
      await page
        .locator('.accounts tr', { hasText: 'not tracked' })
        .first()
        .locator('.open')
        .click()
      await expect
        .poll(() => drawer.innerText())
        .toMatch(/Why it is blocked\s+Disabled[\s\S]*Left out on purpose[\s\S]*Diagnostic probe/)
    })
  })

  describe('hides e-mail addresses', () => {
    it.each(VIEWS)('on %s: in texts, attributes and the title', async (view) => {
      const page = await dashboard.open({
        hash: view === 'accounts' ? `#accounts/${AN_ACCOUNT}` : `#${view}`,
        privacy: true,
      })
      if (view === 'stats') {
        await page.locator('.field select').first().selectOption('account')
        await expect.poll(() => page.locator('.breakdown tbody').innerText()).toContain('user-')
      }
      expect(await everything(page)).not.toMatch(/[^\s"'<>]@[^\s"'<>]/)
    })

    it('before anything is drawn, and shows them again', async () => {
      const page = await dashboard.open({ hash: '#accounts' })
      expect(await everything(page)).toContain('build-farm@example.org')
      await page.getByRole('button', { name: 'Privacy: hide names' }).click()
      await expect.poll(() => everything(page)).not.toContain('@example')
      // From here on every frame is looked at.
      await page.addInitScript(() => {
        const seen = globalThis as unknown as { leaked: boolean }
        seen.leaked = false
        new MutationObserver(() => {
          if (document.documentElement.outerHTML.includes('@example')) seen.leaked = true
        }).observe(document, {
          subtree: true,
          childList: true,
          characterData: true,
          attributes: true,
        })
      })
      await page.reload()
      await page.locator('.accounts').waitFor()
      expect(await page.evaluate(() => (globalThis as unknown as { leaked: boolean }).leaked)).toBe(
        false,
      )
      await page.keyboard.press('p')
      await expect.poll(() => everything(page)).toContain('build-farm@example.org')
      // What looks at every frame would go on in the next test.
      await page.close()
    })
  })

  it('has the same numbers in the table as in the CSV', async () => {
    const page = await dashboard.open({ hash: '#stats' })
    await page.locator('.usage-chart canvas').waitFor()
    const href = await page.locator('.exports a').first().getAttribute('href')
    const csv = await (await fetch(`${dashboard.demo().url}${href}`)).text()
    const requests = csv
      .trim()
      .split('\r\n')
      .slice(1)
      .filter((line) => line.includes('CI runners'))
      .reduce((sum, line) => sum + Number(line.split(',')[3]), 0)
    const shown = await page
      .locator('.breakdown tr', { hasText: 'CI runners' })
      .locator('.number')
      .nth(2)
      .innerText()
    // The demo goes on while it is looked at.
    expect(Math.abs(Number(shown.replaceAll(',', '')) - requests)).toBeLessThan(requests / 50)
  })

  it('finds what one client used of one model since a day, by day, as CSV, in six steps', async () => {
    const page = await dashboard.open()
    const asOf = async (query: string) => {
      const answer = await fetch(`${dashboard.demo().url}/api/v1/stats/series?${query}`)
      return (await answer.json()) as { range: { end: string }; totals: { requests: number } }
    }
    const { range } = await asOf('')
    const since = new Date(Date.parse(range.end) - 15 * 86_400_000).toISOString().slice(0, 10)
    const chips = page.locator('.question-chips')
    await page.getByRole('tab', { name: 'Stats' }).click()
    await page
      .locator('.breakdown')
      .getByRole('button', { name: 'CI runners', exact: true })
      .click()
    await page.locator('.facets').getByRole('button', { name: 'gpt-5.5', exact: true }).click()
    await page.getByText('Custom…').click()
    await page.getByLabel('From', { exact: true }).fill(`${since}T00:00`)
    await expect
      .poll(() => page.locator('.exports a').first().getAttribute('href'))
      .toContain(since)
    const download = page.waitForEvent('download')
    await page.locator('.exports a').first().click()

    expect(await chips.locator('li').allInnerTexts()).toEqual([
      expect.stringMatching(/^Client\s+CI runners/),
      expect.stringMatching(/^Model\s+gpt-5\.5/),
      expect.stringMatching(/^Range\s+.* – now/),
    ])
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\r\n')
      .slice(1)
    expect(lines).toHaveLength(16)
    expect(lines[0]).toContain(`${since}T00:00:00.000Z,CI runners,`)
    const asked = `client=CI%20runners&model=gpt-5.5&from=${since}&group=total`
    const { totals } = await asOf(asked)
    const requests = lines.reduce((sum, line) => sum + Number(line.split(',')[3]), 0)
    // The demo goes on while it is looked at.
    expect(Math.abs(totals.requests - requests)).toBeLessThan(requests / 50)
  })

  it('counts only what is clicked in the chart, and tells why requests failed', async () => {
    const page = await dashboard.open({ hash: '#stats?metric=failed&range=7d' })
    await page.locator('.usage-chart canvas').waitFor()
    await expect
      .poll(() => page.locator('.causes tbody').innerText())
      .toContain('usage_limit_reached')
    const plot = await page.locator('.usage-chart .u-over').boundingBox()
    if (plot === null) throw new Error('there is no plot')
    await page.mouse.click(plot.x + plot.width / 2, plot.y + plot.height - 4)

    await expect.poll(() => page.locator('.question-chips li').count()).toBe(1)
    expect(await page.evaluate(() => location.hash)).toMatch(/[?&]client=/)
  })

  it.each([
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ])(
    'reads a chart of the Overview where it is pointed at, and by keys, at $width px',
    async (size) => {
      const page = await dashboard.open(size)
      const reader = page.locator('.flow-reader').first()
      await reader.scrollIntoViewIfNeeded()
      const box = await reader.boundingBox()
      if (box === null) throw new Error('there is no chart')
      expect([box.x >= 0, box.x + box.width <= size.width, box.height]).toEqual([true, true, 140])
      await page.mouse.move(box.x + box.width * 0.9, box.y + box.height / 2)
      const words = page.locator('.flow-words')
      expect(await words.innerText()).toMatch(
        /^\d\d:\d\d: \d+\.\d Plus (?:if nothing is used|expected(?: \(.+\))?)$/,
      )
      const said = await words.boundingBox()
      const right = (said?.x ?? Number.NaN) + (said?.width ?? 0)
      expect(Math.abs(box.x + box.width * 0.9 - right)).toBeLessThan(16)
      await page.mouse.move(box.x + box.width * 0.9, box.y - 60)
      await expect.poll(() => words.count()).toBe(0)

      await reader.focus()
      expect(await reader.getAttribute('aria-valuetext')).toMatch(
        /^now: \d+\.\d Plus usable(?:, \d+\.\d held)?$/,
      )
      // What the demo went through is there a moment after it listens.
      await page.locator('.flow path.line').first().waitFor({ state: 'attached' })
      await page.keyboard.press('Home')
      await expect
        .poll(() => words.innerText())
        .toMatch(/^[\w ]*\d\d:\d\d: \d+\.\d Plus usable(?:, \d+\.\d held)?$/)
    },
  )

  it('reads the chart by keyboard, zooms by drag, and goes back', async () => {
    const page = await dashboard.open({ hash: '#stats' })
    const chart = page.locator('.usage-chart')
    await chart.locator('canvas').waitFor()
    await chart.focus()
    await page.keyboard.press('ArrowLeft')
    const reading = await chart.getAttribute('aria-valuetext')
    expect(reading).toMatch(/^\w{3} \d+, \d\d:\d\d – \d\d:\d\d, so far: .*CI runners .*Total /)
    await page.keyboard.press('ArrowLeft')
    expect(await chart.getAttribute('aria-valuetext')).not.toBe(reading)

    const plot = await chart.locator('.u-over').boundingBox()
    if (plot === null) throw new Error('there is no plot')
    const wholeRange = page.getByRole('button', { name: 'Whole range' })
    await page.mouse.move(plot.x + 100, plot.y + 50)
    await page.mouse.down()
    await page.mouse.move(plot.x + 300, plot.y + 50, { steps: 4 })
    await page.mouse.up()
    await wholeRange.waitFor()
    expect(await page.evaluate(() => location.hash)).toMatch(/zoom=\d+-\d+/)
    expect(await page.locator('.question-chips').count()).toBe(0)
    await page.reload()
    await wholeRange.click()
    await expect.poll(() => wholeRange.count()).toBe(0)
    expect(await page.evaluate(() => location.hash)).not.toContain('zoom')
  })

  it('shows the hours of a week, one of them in the chart', async () => {
    const page = await dashboard.open({ hash: '#stats' })
    const hours = page.locator('.week-hours button')
    await hours.first().waitFor()
    expect(await hours.count()).toBe(7 * 24)
    await hours.first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      await hours.nth(25).getAttribute('aria-label'),
    )
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Whole range' }).waitFor()
    expect(await page.evaluate(() => location.hash)).toMatch(/range=7d&zoom=\d+-\d+/)
  })

  describe('refreshes', () => {
    it('and tells how far it has come and how it ended', async () => {
      const page = await dashboard.open()
      await page.locator('#refresh').click()
      await expect
        .poll(() => page.locator('#refresh').innerText())
        .toMatch(/^Refreshing \d+ of 22$/)
      await expect.poll(() => page.locator('.outcome').innerText()).toBe('Refreshed 22 accounts')
      expect(await page.locator('#refresh').innerText()).toBe('Refresh')
      const leaks = await page.evaluate(() => {
        const token =
          document.querySelector<HTMLMetaElement>('meta[name="refresh-token"]')?.content ?? ''
        const kept = JSON.stringify([
          { ...localStorage },
          { ...sessionStorage },
          document.cookie,
          location.href,
          document.body.outerHTML,
        ])
        return [token.length, kept.includes(token)]
      })
      expect(leaks).toEqual([43, false])
    })

    it('disabled accounts on request, each once', async () => {
      const page = await dashboard.open()
      await page.locator('.top .menu summary').click()
      await page.getByText('Probe disabled accounts').click()
      await expect
        .poll(() => page.locator('.outcome').innerText())
        .toBe('Probed 2 disabled accounts')
    })

    it('with the token of the process of now: a page that has an older one loads anew and repeats what was pressed', async () => {
      const page = await dashboard.open()
      await page.evaluate(() =>
        document
          .querySelector('meta[name="refresh-token"]')
          ?.setAttribute('content', 'x'.repeat(43)),
      )
      const reloaded = page.waitForEvent('load')
      await page.locator('#refresh').click()
      await expect
        .poll(() => page.locator('.outcome').innerText())
        .toBe('This page is out of date. Reloading.')
      await reloaded
      await expect.poll(() => page.locator('.outcome').innerText()).toBe('Refreshed 22 accounts')
      // What was pressed is repeated once, not at every load.
      await page.reload()
      await page.locator('#view > *').first().waitFor()
      expect(await page.locator('#refresh').innerText()).toBe('Refresh')
    })

    it('of one account beside that account, also when the page had to be loaded anew', async () => {
      const page = await dashboard.open({ hash: '#accounts/17a6711fb378bf0a' })
      const button = page.locator('.refresh-this button')
      const told = page.locator('.refresh-this [role=status]')
      await button.click()
      await expect.poll(() => told.innerText()).toContain('Refreshed 1 account')
      expect(await page.locator('.outcome').innerText()).toBe('')
      await page.evaluate(() =>
        document
          .querySelector('meta[name="refresh-token"]')
          ?.setAttribute('content', 'x'.repeat(43)),
      )
      const reloaded = page.waitForEvent('load')
      await button.click()
      await reloaded

      await expect.poll(() => told.innerText()).toContain('Refreshed 1 account')
    })

    it('until it is cancelled, and the focus stays where the button was', async () => {
      const page = await dashboard.open()
      await page.locator('#refresh').click()
      await page.getByRole('button', { name: 'Cancel the refresh' }).press('Enter')
      await expect
        .poll(() => page.locator('.outcome').innerText())
        .toMatch(/^Cancelled: \d+ of 22 refreshed$/)

      expect(await page.evaluate(() => document.activeElement?.id)).toBe('refresh')
    })
  })
})
