import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plusMs } from '@svc/core'
import { aFakeAccount, aFakeQuota } from '@svc/fake-proxy'
import type { Health, Recommendations, StatsSeries, StatsTab, StatusSnapshot } from '@svc/views'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { freePort } from '../../tooling/service/built-program.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock } from '../../tooling/test-instant.ts'

let folder = ''
let live: ProxiedService | null = null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-agree-'))
})
afterEach(async () => {
  await live?.stop()
  live = null
  rmSync(folder, { recursive: true, force: true })
})

const metricOf = async (url: string, name: string) => {
  const line = (await (await fetch(`${url}/metrics`)).text())
    .split('\n')
    .find((each) => each.startsWith(`svc_quota_monitor_${name} `))
  return Number(line?.split(' ')[1])
}

describe('answers about one service', () => {
  it('agree on usage the moment one of them shows it', async () => {
    const account = aFakeAccount({ name: 'ana' })
    // In real time: what is only right after a while would be right at once on a fast clock.
    const service = await startService({
      where: 'here',
      time: acceleratedClock(),
      accounts: [account],
      flags: { 'state-db': join(folder, 'history.db') },
    })
    live = service
    let recorded = 0
    const record = (count: number) => {
      for (let index = 0; index < count; index += 1) {
        recorded += 1
        service.fake.usage.record({
          at: plusMs(service.fake.now(), -1_000 - recorded),
          source: account.email,
          authIndex: service.fake.authIndexOf(account),
          apiKey: 'key',
          model: 'model',
        })
      }
    }
    const requests = async () =>
      (await service.json<StatsSeries>('/api/v1/stats/series?range=24h')).totals.requests
    for (const total of [7, 12]) {
      record(total - recorded)
      await eventually(`the chart shows ${total}`, async () => (await requests()) === total)

      const { history } = await service.json<StatsTab>('/api/v1/stats')
      expect([history.rows, await metricOf(service.url, 'history_rows')]).toEqual([total, total])
    }
  })

  it('keep usage of another provider apart from the account with the same address', async () => {
    const quota = aFakeQuota('two_windows', { used: [0, 0], resets: [null, null] })
    const ana = aFakeAccount({ name: 'ana', quota })
    const claude = aFakeAccount({ name: 'ana', provider: 'claude' })
    const service = await startService({
      where: 'here',
      time: acceleratedClock(),
      accounts: [ana, claude],
      flags: { 'state-db': join(folder, 'history.db') },
    })
    live = service
    const itemOfAna = async () =>
      (await service.json<Recommendations>('/api/v1/recommendations')).items[0]
    await eventually('the quota is read', async () => {
      return (await itemOfAna())?.quotaWindows[0]?.state === 'known'
    })
    const before = await itemOfAna()

    service.fake.traffic(claude, { success: 20, failed: 20 })
    const seriesBy = (group: string) =>
      service.json<StatsSeries>(`/api/v1/stats/series?range=24h&group=${group}`)
    await eventually('usage is shown', async () => {
      return (await seriesBy('total')).totals.requests === 40
    })

    const linesBy = async (group: string) =>
      (await seriesBy(group)).series.map(({ id, requests, failed }) => [id, requests, failed])
    const { items } = await service.json<Recommendations>('/api/v1/recommendations?provider=claude')
    expect(items.map(({ accountKey }) => accountKey)).not.toContain(before?.accountKey)
    expect(await linesBy('account')).toEqual([[items[0]?.accountKey, 40, 20]])
    expect(await linesBy('provider')).toEqual([['claude', 40, 20]])
    expect((await itemOfAna())?.scoreComponents).toEqual(before?.scoreComponents)
    expect(before?.scoreComponents).toMatchObject({ health: 20, load: 25 })
  })

  it('agree in the demo, where usage goes on by the second', async () => {
    const demo = await startService({
      where: 'program',
      args: ['--demo', '--port', String(await freePort())],
    })
    const json = async <Body>(path: string) => (await (await fetch(demo.url + path)).json()) as Body
    await eventually(
      'usage is shown',
      async () => (await json<StatsTab>('/api/v1/stats')).live.available,
    )
    const day = await json<StatsSeries>('/api/v1/stats/series?range=24h')
    const all = await json<StatsSeries>('/api/v1/stats/series?range=all')
    const stats = await json<StatsTab>('/api/v1/stats')
    await demo.stop()

    expect(stats.summary).toBe(day.summary)
    expect(stats.history.rows).toBe(all.totals.requests)
  })

  it('show a refresh from the moment it was accepted', async () => {
    const demo = await startService({
      where: 'program',
      args: ['--demo', '--port', String(await freePort()), '--manual-quota-refresh-auth', 'none'],
    })
    const accepted = await fetch(`${demo.url}/api/v1/quota/refresh`, { method: 'POST' })
    const { summary } = (await (await fetch(`${demo.url}/api/v1/status`)).json()) as StatusSnapshot
    const running = await metricOf(demo.url, 'manual_refresh_running')
    await demo.stop()

    expect([accepted.status, summary.manualRefresh.status, running]).toEqual([202, 'running', 1])
  })

  it('agree on whether it is ready', async () => {
    const port = String(await freePort())
    const upstream = `http://127.0.0.1:${await freePort()}`
    const withKey = await startService({
      where: 'program',
      args: ['--config', 'off', '--upstream-url', upstream, '--port', port],
      env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'key' },
    })
    const early = await fetch(`${withKey.url}/readyz`)
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await fetch(`${withKey.url}/healthz`)).status).toBe(200)
    await withKey.stop()

    const withoutKey = await startService({
      where: 'program',
      args: ['--config', 'off', '--upstream-url', upstream, '--port', port],
    })
    await eventually(
      'it is ready',
      async () => (await fetch(`${withoutKey.url}/readyz`)).status === 200,
    )
    const { actions } = (await (await fetch(`${withoutKey.url}/api/v1/health`)).json()) as Health
    await withoutKey.stop()
    expect(actions.map(({ title }) => title)).toContain('No management key')
  })
})
