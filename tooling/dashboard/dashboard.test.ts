import { aFakeAccount } from '@svc/collector/testing'
import type { StatusSnapshot } from '@svc/views'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { acceleratedClock } from '../accelerated-clock.ts'
import { eventually, type LiveService, startLiveService } from '../live-service.ts'
import { freePort, type StartedProgram, startProgram } from '../started-program.ts'
import { axeViolations, launchBrowser, type OpenedPage, type OpenOptions, openDashboard, type Theme, whyNoBrowser } from './browser.ts'

const VIEWS = ['overview', 'accounts', 'resets', 'stats', 'health'] as const
const THEMES: readonly Theme[] = ['light', 'dark', 'eink']
const WAIT_MS = 20_000
/** An account of the demo that is about to lose quota, by its index. */
const BUILD_FARM = '91187035ff4e1cbf'

let browser: Browser
let demo: StartedProgram
let opened: OpenedPage | null = null
let live: LiveService | null = null

beforeAll(async () => {
  if (whyNoBrowser !== null) return
  browser = await launchBrowser()
  demo = await startProgram(['--demo', '--port', String(await freePort())])
}, 60_000)
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
})
afterEach(async () => {
  const problems = opened?.problems ?? []
  await opened?.close()
  opened = null
  await live?.stop()
  live = null
  expect(problems).toEqual([])
})

async function open(options: OpenOptions = {}, url = demo.url): Promise<Page> {
  opened = await openDashboard(browser, url, options)
  return opened.page
}

/** Pixels that stick out to the right. */
const overflows = (page: Page) => page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))
/** Goes to another view of a page that is open. */
async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((wanted) => {
    location.hash = wanted
  }, hash)
  const view = hash.split('/')[0]
  await page.locator(`.view-${view} > *`).first().waitFor()
  if (view === 'stats') await page.locator('.usage-chart canvas, .view-stats .empty').first().waitFor()
}

/** Everything a person or a program could read off the page. */
const everything = (page: Page) =>
  page.evaluate(() => `${document.title}\n${document.documentElement.outerHTML}\n${document.body.innerText}`)
const stored = (page: Page, name: string) =>
  page.evaluate((key) => JSON.parse(localStorage.getItem(`quota.${key}`) ?? 'null') as unknown, name)

describe.skipIf(whyNoBrowser !== null)('the dashboard', () => {
  describe('shows', () => {
    it('at one glance how much is left, when more comes, which account next and what is wrong', async () => {
      const page = await open()
      // What the demo went through is there a moment after it listens.
      await expect.poll(() => page.locator('main').innerText(), { timeout: 30_000 }).toMatch(/Pace\s+\d+\.\d Plus\/h/)
      const text = await page.locator('main').innerText()
      expect(text).toMatch(/5-hour quota\s+\d+\.\d of \d+ Plus left\s+\d+%/)
      expect(text).toMatch(/Weekly quota\s+\d+\.\d of \d+ Plus left/)
      expect(text).toMatch(/\d+\.\d measured\s+\d+\.\d stale\s+\d+\.\d unknown/)
      expect(text).toMatch(/Next\s+\+\d+\.\d Plus .*, in /)
      expect(text).toMatch(/Use next[\s\S]*of 100[\s\S]*Needs you[\s\S]*Comes back/)
      expect(await page.locator('.pill').innerText()).toMatch(/\d actions?/)
      expect(await page.locator('.age').innerText()).toMatch(/\d+ s ago/)
      expect(await page.title()).toMatch(/^\d+\.\d of \d+ Plus left, \d actions? · Quota$/)
    }, 60_000)

    it.each([
      [1280, 800],
      [390, 844],
      [600, 800],
    ])('all of that without scrolling at %i × %i', async (width, height) => {
      const page = await open({ width, height })
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
        expect([what, box !== null && box.y >= 0 && box.y + box.height <= height]).toEqual([what, true])
      }
    })

    it.each<readonly [view: (typeof VIEWS)[number], pattern: RegExp]>([
      ['accounts', /Blocked, \d+\.[\s\S]*for a reset/],
      ['resets', /Use it or lose it[\s\S]*expire unused[\s\S]*5-hour resets[\s\S]*Weekly resets/],
      ['stats', /tokens[\s\S]*requests[\s\S]*By client[\s\S]*CSV\s*JSON[\s\S]*CI runners/],
      ['health', /4 actions[\s\S]*Do: Log in again on the proxy\.[\s\S]*Sources[\s\S]*Gateway[\s\S]*Recent changes/],
    ])('%s', async (view, pattern) => {
      const page = await open({ hash: `#${view}` })
      await expect.poll(() => page.locator('main').innerText(), { timeout: WAIT_MS }).toMatch(pattern)
    })

    it('why an account scores what it does, why one is blocked, and what a probe found', async () => {
      const page = await open({ hash: `#accounts/${BUILD_FARM}` })
      const drawer = page.locator('.drawer')
      expect(await drawer.innerText()).toMatch(
        /Why this score[\s\S]*Capacity[\s\S]*\/ 40[\s\S]*Sum[\s\S]*Windows[\s\S]*5h[\s\S]*accountKey/,
      )
      const points = (await drawer.locator('tbody .of b').allInnerTexts()).map(Number)
      expect(points.reduce((sum, part) => sum + part, 0)).toBe(Number(await drawer.locator('.total b').innerText()))
      await page.locator('.accounts tr', { hasText: 'not tracked' }).first().locator('.open').click()
      await expect.poll(() => drawer.innerText()).toMatch(/operator_disabled[\s\S]*Left out on purpose[\s\S]*Diagnostic probe/)
    })
  })

  describe('is usable by everybody:', () => {
    it.each(THEMES)(
      'axe finds nothing in %s on any view',
      async (theme) => {
        const page = await open({ theme })
        for (const view of VIEWS) {
          await goTo(page, view === 'accounts' ? `accounts/${BUILD_FARM}` : view)
          expect([view, await axeViolations(page)]).toEqual([view, []])
        }
      },
      60_000,
    )

    it('axe finds nothing on a phone, in the menu and in the sheet of keys', async () => {
      const page = await open({ hash: '#accounts', width: 390, height: 844 })
      expect(await axeViolations(page)).toEqual([])
      await page.locator('.menu summary').click()
      expect(await axeViolations(page)).toEqual([])
      await page.locator('.popup button', { hasText: 'Keyboard shortcuts' }).click()
      expect(await axeViolations(page)).toEqual([])
    })

    it.each(VIEWS)('%s needs no sideways scrolling, down to 320 px, which is 1280 px at 400 %%', async (view) => {
      const page = await open({ hash: `#${view}` })
      if (view === 'stats') await page.locator('.usage-chart canvas').waitFor()
      for (const width of [1280, 900, 600, 390, 320]) {
        await page.setViewportSize({ width, height: 700 })
        await page.waitForTimeout(150)
        expect([width, await overflows(page)]).toEqual([width, 0])
      }
    })

    it('has no text under 12 px, and none under 14 px in high contrast', async () => {
      for (const [theme, least] of [
        ['light', 12],
        ['eink', 14],
      ] as const) {
        const page = await open({ theme })
        for (const view of VIEWS) {
          await goTo(page, view)
          const small = await page.evaluate((limit) => {
            const found: string[] = []
            for (const element of document.querySelectorAll('#app *')) {
              const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== '')
              if (own && Number.parseFloat(getComputedStyle(element).fontSize) < limit) found.push(element.outerHTML.slice(0, 120))
            }
            return found
          }, least)
          expect([theme, view, small]).toEqual([theme, view, []])
        }
        await opened?.close()
        opened = null
      }
    })

    it('works with the keyboard alone', async () => {
      const page = await open()
      await page.keyboard.press('2')
      await page.locator('.accounts').waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.locator('.drawer').waitFor()
      const second = await page.locator('tr.selected td.rank').innerText()
      expect(second).toBe('2')
      await page.keyboard.press('k')
      await expect.poll(() => page.locator('tr.selected td.rank').innerText()).toBe('1')
      await page.keyboard.press('Escape')
      await expect.poll(() => page.locator('.drawer').count()).toBe(0)
      expect(await page.evaluate(() => document.activeElement?.className)).toBe('account open')
      await page.keyboard.press('/')
      await page.keyboard.type('farm')
      await expect.poll(() => page.locator('.accounts tbody tr').count()).toBe(1)
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      await expect.poll(() => page.locator('dialog.sheet').isVisible()).toBe(true)
      await page.keyboard.press('Escape')
      await page.keyboard.press('5')
      await page.getByText('Recent changes').waitFor()
      await page.locator('#tab-health').focus()
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => page.locator('[role=tab][aria-selected=true]').innerText()).toBe('Overview')
    })

    it('prints what it shows and none of what is pressed', async () => {
      const page = await open()
      await page.emulateMedia({ media: 'print' })
      expect([await page.locator('.tools').isVisible(), await page.locator('.tabs').isVisible()]).toEqual([false, false])
      expect(await page.locator('.capacity .big').first().isVisible()).toBe(true)
    })

    it('has single keys that can be switched off', async () => {
      const page = await open()
      await page.keyboard.press('?')
      await page.getByLabel('Single-key shortcuts').uncheck()
      await page.keyboard.press('Escape')
      await page.keyboard.press('2')
      await page.waitForTimeout(300)
      expect(await page.locator('[role=tab][aria-selected=true]').innerText()).toBe('Overview')
    })
  })

  describe('remembers in this browser', () => {
    it('theme, privacy and the controls of the chart, and nothing else', async () => {
      const page = await open({ hash: '#stats' })
      await page.locator('.usage-chart canvas').waitFor()
      await page.getByText('7d', { exact: true }).click()
      await page.getByText('Requests', { exact: true }).first().click()
      await page.locator('.field select').selectOption('model')
      await page.locator('.field input').fill('3')
      await page.getByLabel('Smooth').uncheck()
      await page.getByText('Per minute').click()
      await page.keyboard.press('p')
      await page.locator('.menu summary').click()
      await page.getByText('Dark').click()
      await page.reload()
      await page.locator('.usage-chart canvas').waitFor()
      expect(await stored(page, 'stats')).toEqual({ range: '7d', metric: 'requests', group: 'model', top: 3, smooth: false, mode: 'rate' })
      expect([await stored(page, 'privacy'), await stored(page, 'theme')]).toEqual([true, 'dark'])
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
      expect(await page.evaluate(() => Object.keys(localStorage).sort())).toEqual([
        'quota.privacy',
        'quota.single-keys',
        'quota.stats',
        'quota.theme',
      ])
      expect(await page.locator('.breakdown tbody tr').count()).toBeLessThanOrEqual(4)
      expect(await page.locator('.exports a').first().getAttribute('href')).toContain('range=7d')
    })

    it('nothing that cannot be read any more', async () => {
      const page = await open()
      await page.evaluate(() => {
        localStorage.setItem('quota.stats', '{"range":7}')
        localStorage.setItem('quota.theme', '"pink"')
        localStorage.setItem('quota.privacy', '{')
      })
      await page.goto(`${demo.url}/#stats`)
      await page.reload()
      await page.locator('.usage-chart canvas').waitFor()
    })
  })

  describe('hides e-mail addresses', () => {
    it.each(VIEWS)('on %s: in texts, attributes and the title', async (view) => {
      const page = await open({ hash: view === 'accounts' ? `#accounts/${BUILD_FARM}` : `#${view}`, privacy: true })
      if (view === 'stats') {
        await page.locator('.field select').selectOption('account')
        await expect.poll(() => page.locator('.breakdown tbody').innerText()).toContain('user-')
      }
      expect(await everything(page)).not.toMatch(/[^\s"'<>]@[^\s"'<>]/)
    })

    it('before anything is drawn, and shows them again', async () => {
      const page = await open({ hash: '#accounts' })
      expect(await everything(page)).toContain('build-farm@example.org')
      await page.getByRole('button', { name: 'Privacy: hide e-mail addresses' }).click()
      await expect.poll(() => everything(page)).not.toContain('@example')
      // From here on every frame is looked at.
      await page.addInitScript(() => {
        const seen = globalThis as unknown as { leaked: boolean }
        seen.leaked = false
        new MutationObserver(() => {
          if (document.documentElement.outerHTML.includes('@example')) seen.leaked = true
        }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
      })
      await page.reload()
      await page.locator('.accounts').waitFor()
      expect(await page.evaluate(() => (globalThis as unknown as { leaked: boolean }).leaked)).toBe(false)
      await page.keyboard.press('p')
      await expect.poll(() => everything(page)).toContain('build-farm@example.org')
    })
  })

  it('asks before it shows API names', async () => {
    const page = await open({ hash: '#stats' })
    await page.locator('.field select').selectOption('api')
    await page.getByText('API names can be client keys. Show them on this screen?').waitFor()
    await page.getByText('Keep hidden').click()
    await expect.poll(() => stored(page, 'stats')).toMatchObject({ group: 'client' })
    await page.locator('.field select').selectOption('api')
    await page.getByText('Show names').click()
    await expect.poll(() => page.locator('.breakdown caption').innerText()).toMatch(/API/i)
  })

  it('has the same numbers in the table as in the CSV', async () => {
    const page = await open({ hash: '#stats' })
    await page.locator('.usage-chart canvas').waitFor()
    const href = await page.locator('.exports a').first().getAttribute('href')
    const csv = await (await fetch(`${demo.url}${href}`)).text()
    const requests = csv
      .trim()
      .split('\r\n')
      .slice(1)
      .filter((line) => line.includes('CI runners'))
      .reduce((sum, line) => sum + Number(line.split(',')[3]), 0)
    const shown = await page.locator('.breakdown tr', { hasText: 'CI runners' }).locator('.number').nth(2).innerText()
    // The demo goes on while it is looked at.
    expect(Math.abs(Number(shown.replaceAll(',', '')) - requests)).toBeLessThan(requests / 50)
  })

  it('finds, filters and sorts accounts', async () => {
    const page = await open({ hash: '#accounts' })
    const ranks = () => page.locator('.accounts tbody tr:not(.group) td.rank').allInnerTexts()
    const all = (await ranks()).length
    await page.getByRole('button', { name: /^Blocked/ }).click()
    const blocked = (await ranks()).length
    expect(blocked).toBeGreaterThan(0)
    expect((await ranks()).every((rank) => rank === '–')).toBe(true)
    await page.getByRole('button', { name: /^Routable/ }).click()
    expect((await ranks()).length).toBe(all - blocked)
    await page.getByRole('button', { name: /^All/ }).click()
    await page.getByRole('button', { name: 'Week left' }).click()
    const percents = (await page.locator('.accounts td.week .window-left').allInnerTexts())
      .map((text) => Number.parseFloat(text))
      .filter((percent) => Number.isFinite(percent))
    expect(percents).toEqual([...percents].sort((a, b) => a - b))
    await page.locator('#search').fill('nobody-of-that-name')
    await page.getByText('No account matches.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    expect((await ranks()).length).toBe(all)
  })

  describe('refreshes', () => {
    it('and tells how far it has come and how it ended', async () => {
      const page = await open()
      await page.locator('#refresh').click()
      await expect.poll(() => page.locator('#refresh').innerText(), { timeout: WAIT_MS }).toMatch(/^Refreshing \d+ of 22$/)
      await expect.poll(() => page.locator('.outcome').innerText(), { timeout: WAIT_MS }).toBe('Refreshed 22 accounts')
      expect(await page.locator('#refresh').innerText()).toBe('Refresh')
      const leaks = await page.evaluate(() => {
        const token = document.querySelector<HTMLMetaElement>('meta[name="refresh-token"]')?.content ?? ''
        const kept = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.body.outerHTML])
        return [token.length, kept.includes(token)]
      })
      expect(leaks).toEqual([43, false])
    })

    it('disabled accounts on request, each once', async () => {
      const page = await open()
      await page.locator('.menu summary').click()
      await page.getByText('Probe disabled accounts').click()
      await expect.poll(() => page.locator('.outcome').innerText(), { timeout: WAIT_MS }).toBe('Probed 2 disabled accounts')
    })

    it('with the token of the process of now: a page that has an older one reloads once', async () => {
      const page = await open()
      await page.evaluate(() => document.querySelector('meta[name="refresh-token"]')?.setAttribute('content', 'x'.repeat(43)))
      const reloaded = page.waitForEvent('load')
      await page.locator('#refresh').click()
      await expect.poll(() => page.locator('.outcome').innerText()).toBe('This page is out of date. Reloading.')
      await reloaded
      await page.locator('#view > *').first().waitFor()
      // Refused again it does not go round in circles.
      await page.evaluate(() => document.querySelector('meta[name="refresh-token"]')?.setAttribute('content', 'x'.repeat(43)))
      await page.locator('#refresh').click()
      await expect.poll(() => page.locator('.outcome').innerText()).toBe('The refresh was refused again after reloading this page.')
      await page.reload()
      await page.locator('#view > *').first().waitFor()
      await page.locator('#refresh').click()
      await expect.poll(() => page.locator('.outcome').innerText(), { timeout: WAIT_MS }).toBe('Refreshed 22 accounts')
    })

    it('not without a management key, and says so, and what to set', async () => {
      const bare = await startProgram(['--config', 'off', '--port', String(await freePort()), '--upstream-url', 'http://127.0.0.1:9'])
      try {
        const page = await open({}, bare.url)
        await expect.poll(() => page.locator('main').innerText()).toMatch(/Waiting for the first reading\.[\s\S]*management key/)
        await page.locator('#refresh').click()
        await expect.poll(() => page.locator('.outcome').innerText()).toContain('Refresh is off: no management key.')
      } finally {
        await bare.stop()
      }
    })
  })

  it('says so when the monitor dies, and recovers by itself', async () => {
    const port = String(await freePort())
    let other = await startProgram(['--demo', '--port', port])
    try {
      const page = await open({}, other.url)
      await other.stop('SIGKILL')
      await expect
        .poll(() => page.locator('.banner').innerText(), { timeout: 30_000 })
        .toMatch(/Not updating\. The monitor has not answered for/)
      expect(await page.locator('.capacity .big').first().innerText()).toMatch(/Plus left/)
      other = await startProgram(['--demo', '--port', port])
      await page.getByRole('button', { name: 'Try now' }).click()
      await expect.poll(() => page.locator('.banner').count(), { timeout: 30_000 }).toBe(0)
    } finally {
      await other.stop()
    }
  }, 90_000)

  describe('in front of a proxy', () => {
    it('shows 1,000 accounts without lag, and only the rows in sight', async () => {
      const accounts = Array.from({ length: 1_000 }, (_, index) => aFakeAccount({ name: `user${String(index).padStart(4, '0')}` }))
      live = await startLiveService({ clock: acceleratedClock(1), accounts })
      const service = live
      await eventually(
        'they are listed',
        WAIT_MS,
        async () =>
          JSON.stringify(await service.json('/api/v1/health')).includes('1,000 Codex') ||
          JSON.stringify(await service.json('/api/v1/health')).includes('1000 Codex'),
      )
      const page = await open({ hash: '#accounts' }, live.url)
      await expect.poll(() => page.getByRole('button', { name: /^All/ }).innerText(), { timeout: WAIT_MS }).toBe('All 1000')
      const rows = () => page.locator('.accounts tbody tr:not(.spacer, .group)').count()
      expect(await rows()).toBeLessThan(150)
      expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(6_000)
      const longest = await page.evaluate(async () => {
        const gaps: number[] = []
        let last = performance.now()
        for (let step = 0; step < 120; step += 1) {
          scrollBy(0, 400)
          await new Promise((resolve) => requestAnimationFrame(resolve))
          const now = performance.now()
          gaps.push(now - last)
          last = now
        }
        return gaps.sort((a, b) => a - b)[Math.floor(gaps.length * 0.95)] ?? 0
      })
      expect(longest).toBeLessThan(200)
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
      await expect.poll(() => page.locator('tr[aria-rowindex="1001"]').isVisible(), { timeout: WAIT_MS }).toBe(true)
      expect(await rows()).toBeLessThan(150)
      await page.locator('#search').fill('user0777')
      await expect.poll(rows).toBe(1)
    }, 90_000)

    it('says how old the account list is when the proxy stops to answer, and that it is good again', async () => {
      live = await startLiveService({ clock: acceleratedClock(20), accounts: [aFakeAccount({ name: 'ana' })] })
      const { fake } = live
      const service = live
      await eventually('it is live', WAIT_MS, async () => (await service.json<StatusSnapshot>('/api/v1/status')).source === 'live')
      const page = await open({}, live.url)
      fake.setFault('auth-files', { kind: 'garbage' })
      await expect
        .poll(() => page.locator('.banner').textContent(), { timeout: WAIT_MS })
        .toMatch(/^Old account list\. The proxy last answered /)
      expect(await page.locator('.capacity .big').first().innerText()).toMatch(/of 1 Plus left/)
      fake.setFault('auth-files', null)
      await expect.poll(() => page.locator('.banner').count(), { timeout: WAIT_MS }).toBe(0)
    }, 60_000)

    it('stays intact with hostile names', async () => {
      const names = [
        '</script><script>alert(1)</script>',
        '<img src=x onerror=alert(1)>',
        '\u202Egnp.exe\u202C',
        'x'.repeat(300),
        '👩‍👩‍👧‍👦🏳️‍🌈',
        '{{constructor}}',
        "'; DROP TABLE usage; --",
      ]
      const accounts = names.map((label, index) => aFakeAccount({ name: `user${index}`, entryOverrides: { label } }))
      live = await startLiveService({ clock: acceleratedClock(1), accounts })
      const service = live
      await eventually('they are listed', WAIT_MS, async () => JSON.stringify(await service.json('/api/v1/status')).includes('DROP TABLE'))
      const page = await open({ hash: '#accounts' }, live.url)
      await expect.poll(() => page.locator('.accounts tbody tr').count(), { timeout: WAIT_MS }).toBe(names.length)
      const { tabs } = await live.json<StatusSnapshot>('/api/v1/status')
      const shown = await page.locator('.accounts .name').allTextContents()
      expect([...shown].sort()).toEqual(tabs.pool.accounts.map(({ title }) => title).sort())
      for (const view of VIEWS) {
        await goTo(page, view)
        expect([view, await overflows(page)]).toEqual([view, 0])
        expect(await page.locator('img, script:not([src])').count()).toBe(0)
      }
      await page.locator('#refresh').click()
      await expect.poll(() => page.locator('.outcome').innerText(), { timeout: WAIT_MS }).toBe(`Refreshed ${names.length} accounts`)
    }, 60_000)
  })
})
