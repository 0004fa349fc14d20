import { aFakeAccount } from '@svc/fake-proxy'
import type { StatusSnapshot } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { axeViolations, type Theme } from '../../../tooling/dashboard/browser.ts'
import {
  AN_ACCOUNT,
  goTo,
  overflows,
  stored,
  useDashboard,
  VIEWS,
} from '../../../tooling/dashboard/dashboard-fixture.ts'
import { eventually } from '../../../tooling/eventually.ts'
import { freePort } from '../../../tooling/service/built-program.ts'
import { startService } from '../../../tooling/service/start-service.ts'
import { acceleratedClock, paceOfBusyMachine } from '../../../tooling/test-instant.ts'

const THEMES: readonly Theme[] = ['light', 'dark', 'eink']

describe('the dashboard', () => {
  const dashboard = useDashboard()

  describe('is usable by everybody:', () => {
    it.each(THEMES)('axe finds nothing in %s on any view', async (theme) => {
      const page = await dashboard.open({ theme })
      for (const view of VIEWS) {
        await goTo(page, view === 'accounts' ? `accounts/${AN_ACCOUNT}` : view)
        expect([view, await axeViolations(page)]).toEqual([view, []])
      }
    })

    it('axe finds nothing on a phone, in the menu and in the sheet of keys', async () => {
      const page = await dashboard.open({ hash: '#accounts', width: 390, height: 844 })
      expect(await axeViolations(page)).toEqual([])
      await page.locator('.top .menu summary').click()
      expect(await axeViolations(page)).toEqual([])
      await page.locator('.popup button', { hasText: 'Keyboard shortcuts' }).click()
      expect(await axeViolations(page)).toEqual([])
    })

    it.each(VIEWS)(
      '%s needs no sideways scrolling, down to 320 px, which is 1280 px at 400 %%',
      async (view) => {
        const page = await dashboard.open({ hash: `#${view}` })
        if (view === 'stats') await page.locator('.usage-chart canvas').waitFor()
        if (view === 'health') await page.locator('.days table').waitFor()
        for (const width of [1280, 900, 600, 390, 320]) {
          await page.setViewportSize({ width, height: 700 })
          await page.waitForTimeout(150)
          expect([width, await overflows(page)]).toEqual([width, 0])
        }
      },
    )

    it('has no text under 12 px, and none under 14 px in high contrast', async () => {
      for (const [theme, least] of [
        ['light', 12],
        ['eink', 14],
      ] as const) {
        const page = await dashboard.open({ theme })
        for (const view of VIEWS) {
          await goTo(page, view)
          const small = await page.evaluate((limit) => {
            const found: string[] = []
            for (const element of document.querySelectorAll('#app *')) {
              const own = [...element.childNodes].some(
                (node) => node.nodeType === 3 && node.textContent?.trim() !== '',
              )
              if (own && Number.parseFloat(getComputedStyle(element).fontSize) < limit)
                found.push(element.outerHTML.slice(0, 120))
            }
            return found
          }, least)
          expect([theme, view, small]).toEqual([theme, view, []])
        }
      }
    })

    it('works with the keyboard alone', async () => {
      const page = await dashboard.open()
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
      await page.keyboard.press('6')
      await page.locator('#tab-prices[aria-selected=true]').focus()
      await page.keyboard.press('ArrowRight')
      await expect
        .poll(() => page.locator('[role=tab][aria-selected=true]').innerText())
        .toBe('Overview')
    })

    it('prints what it shows and none of what is pressed', async () => {
      const page = await dashboard.open()
      await page.emulateMedia({ media: 'print' })
      expect([
        await page.locator('.tools').isVisible(),
        await page.locator('.tabs').isVisible(),
      ]).toEqual([false, false])
      expect(await page.locator('.capacity .big').first().isVisible()).toBe(true)
    })
  })

  describe('remembers in this browser', () => {
    it('theme, privacy and the controls of the chart, and nothing else', async () => {
      const page = await dashboard.open({ hash: '#stats' })
      await page.locator('.usage-chart canvas').waitFor()
      await page.getByText('7d', { exact: true }).click()
      await page.getByLabel('Metric').selectOption('requests')
      await page.getByText('Lines', { exact: true }).click()
      await page.locator('.field select').first().selectOption('model')
      await page.locator('.field input').fill('3')
      await page.getByLabel('Smooth').uncheck()
      await page.getByText('Per minute').click()
      await page.keyboard.press('p')
      await page.locator('.top .menu summary').click()
      await page.getByText('Dark').click()
      await page.reload()
      await page.locator('.usage-chart canvas').waitFor()
      expect(await stored(page, 'stats')).toEqual({
        compare: false,
        range: '7d',
        metric: 'requests',
        group: 'model',
        top: 3,
        smooth: false,
        mode: 'rate',
        form: 'line',
      })
      expect([await stored(page, 'privacy'), await stored(page, 'theme')]).toEqual([true, 'dark'])
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
      expect(await page.evaluate(() => Object.keys(localStorage).sort())).toEqual([
        'quota.api-names',
        'quota.privacy',
        'quota.provider',
        'quota.single-keys',
        'quota.stats',
        'quota.theme',
        'quota.upstream',
        'quota.zones',
      ])
      expect(await page.locator('.breakdown tbody tr').count()).toBeLessThanOrEqual(4)
      expect(await page.locator('.exports a').first().getAttribute('href')).toContain('range=7d')
    })
  })

  it('says so when the monitor dies, and recovers by itself', async () => {
    const port = String(await freePort())
    let other = await startService({ where: 'program', args: ['--demo', '--port', port] })
    try {
      const page = await dashboard.open({}, other.url)
      await other.stop('SIGKILL')
      await expect
        .poll(() => page.locator('.banner').innerText())
        .toMatch(/Not updating\. The monitor has not answered for/)
      expect(await page.locator('.capacity .big').first().innerText()).toMatch(/Plus usable/)
      const tryNow = page.getByRole('alert').getByRole('button', { name: 'Try now' })
      expect(await tryNow.count()).toBe(1)
      other = await startService({ where: 'program', args: ['--demo', '--port', port] })
      // The page also recovers on its own, and the button is gone then.
      await tryNow.evaluateAll((buttons) => {
        for (const button of buttons) (button as HTMLElement).click()
      })
      await expect.poll(() => page.locator('.banner').count()).toBe(0)
    } finally {
      await other.stop()
    }
  })

  describe('in front of a proxy', () => {
    it('draws of 1,000 accounts only the rows in sight', async () => {
      const accounts = Array.from({ length: 1_000 }, (_, index) =>
        aFakeAccount({ name: `user${String(index).padStart(4, '0')}` }),
      )
      const service = await dashboard.live({ time: acceleratedClock(), accounts })
      await eventually(
        'they are listed',
        async () =>
          JSON.stringify(await service.json('/api/v1/health')).includes('1,000 Codex') ||
          JSON.stringify(await service.json('/api/v1/health')).includes('1000 Codex'),
      )
      const page = await dashboard.open({ hash: '#accounts' }, service.url)
      await expect
        .poll(() => page.getByRole('button', { name: /^All/ }).innerText())
        .toBe('All 1000')
      const rows = () => page.locator('.accounts tbody tr:not(.spacer, .group)').count()
      expect(await rows()).toBeLessThan(150)
      expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(6_000)
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
      await expect.poll(() => page.locator('tr[aria-rowindex="1001"]').isVisible()).toBe(true)
      expect(await rows()).toBeLessThan(150)
      await page.locator('#search').fill('user0777')
      await expect.poll(rows).toBe(1)
    })

    it('says how old the account list is when the proxy stops to answer, and that it is good again', async () => {
      const service = await dashboard.live({
        time: acceleratedClock({ factor: paceOfBusyMachine(20) }),
        accounts: [aFakeAccount({ name: 'ana' })],
      })
      const { fake } = service
      await eventually(
        'it is live',
        async () => (await service.json<StatusSnapshot>('/api/v1/status')).source === 'live',
      )
      const page = await dashboard.open({}, service.url)
      fake.setFault('auth-files', { kind: 'garbage' })
      await expect
        .poll(() => page.locator('.answer').textContent())
        .toMatch(/The account list cannot be read; last readings are from .*Try now$/)
      expect(await page.locator('.banner').count()).toBe(0)
      expect(await page.locator('.capacity .big').first().innerText()).toMatch(/of 1 Plus usable/)
      fake.setFault('auth-files', null)
      await expect.poll(() => page.locator('.answer').textContent()).not.toMatch(/Try now$/)
    })

    it('shows a change as soon as the monitor tells of it, without waiting for its next poll', async () => {
      const service = await dashboard.live({
        time: acceleratedClock(),
        accounts: [aFakeAccount({ name: 'ana' })],
      })
      const page = await dashboard.open({ hash: '#accounts' }, service.url)
      // A wait between two polls never ends; only what is told makes this page ask.
      await page.addInitScript(() => {
        const wait = setTimeout.bind(window)
        Object.assign(window, {
          setTimeout: (task: () => void, ms = 0) => (ms > 2_000 ? 0 : wait(task, ms)),
        })
      })
      await page.reload()
      const all = () => page.getByRole('button', { name: /^All/ }).innerText()
      await expect.poll(all).toBe('All 1')
      await expect.poll(() => service.metric('svc_quota_monitor_event_clients')).toBe(1)
      service.fake.add(aFakeAccount({ name: 'bob' }))
      await expect.poll(all).toBe('All 2')
    })

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
      const accounts = names.map((label, index) =>
        aFakeAccount({ name: `user${index}`, entryOverrides: { label } }),
      )
      const service = await dashboard.live({ time: acceleratedClock(), accounts })
      await eventually('they are listed', async () =>
        JSON.stringify(await service.json('/api/v1/status')).includes('DROP TABLE'),
      )
      const page = await dashboard.open({ hash: '#accounts' }, service.url)
      await expect.poll(() => page.locator('.accounts tbody tr').count()).toBe(names.length)
      const { tabs } = await service.json<StatusSnapshot>('/api/v1/status')
      const shown = await page.locator('.accounts .name').allTextContents()
      expect([...shown].sort()).toEqual(tabs.pool.accounts.map(({ title }) => title).sort())
      for (const view of VIEWS) {
        await goTo(page, view)
        expect([view, await overflows(page)]).toEqual([view, 0])
        expect(await page.locator('img, script:not([src])').count()).toBe(0)
      }
      await page.locator('#refresh').click()
      await expect
        .poll(() => page.locator('.outcome').innerText())
        .toBe(`Refreshed ${names.length} accounts`)
    })
  })
})
