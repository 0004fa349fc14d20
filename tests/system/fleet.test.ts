import type { Health, Recommendations, StatsTab } from '@svc/views'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually, pause } from '../../tooling/eventually.ts'
import type { ServiceProcess } from '../../tooling/service/start-service.ts'
import { aFleet, type Fleet, person, unnamed } from '../fleet.ts'

let fleet: Fleet
beforeEach(() => {
  fleet = aFleet()
})
afterEach(() => fleet.end())

const itemsOf = async (service: ServiceProcess) =>
  (await service.json<Recommendations>('/api/v1/recommendations')).items
const namesIn = (items: Recommendations['items']) =>
  items.map((item) => `${item.upstream} ${item.title}`).sort()

describe('a restart', () => {
  it('goes on with what was stored of each proxy, and finds no account changed', async () => {
    const tokyo = await fleet.proxy([person('alice'), unnamed('x')])
    const berlin = await fleet.proxy([person('alice'), unnamed('y')])
    fleet.write(
      [
        { name: 'tokyo', proxy: tokyo },
        { name: 'berlin', proxy: berlin },
      ],
      'state_db = "history.db"\nhistory_write_seconds = 5\n',
    )
    const first = await fleet.start()
    await eventually(
      'every account read at every proxy',
      async () =>
        (await itemsOf(first)).filter(({ quotaWindows }) => quotaWindows[0]?.state === 'known')
          .length === 4,
    )
    // Long enough for the course of the pool to be stored.
    await eventually('a stored pool', async () => {
      const { history } = await first.json<StatsTab>('/api/v1/stats')
      return history.lastWriteAt !== null
    })
    await pause(6_000)
    await first.stop()

    await tokyo.served.close()
    const second = await fleet.start()
    await eventually('the accounts of both proxies, one of them from the store', async () => {
      const items = await itemsOf(second)
      return items.length === 4
    })
    const { recentChanges } = await second.json<Health>('/api/v1/health')
    expect(
      recentChanges.filter(({ code }) => code !== undefined && /^account_/.test(code)),
    ).toEqual([])
    expect(namesIn(await itemsOf(second))).toEqual(
      [
        'berlin alice@example.com',
        'berlin work.json',
        'tokyo alice@example.com',
        'tokyo work.json',
      ].sort(),
    )
  })
})

describe('SIGHUP', () => {
  it('adds, renames and removes proxies, and a mistake changes nothing', async () => {
    const tokyo = await fleet.proxy([person('alice')])
    const berlin = await fleet.proxy([person('alice'), person('bob')])
    fleet.write([{ name: 'tokyo', proxy: tokyo }])
    const service = await fleet.start()
    const shows = (...expected: readonly string[]) =>
      eventually(`shown: ${expected.join(', ')}`, async () => {
        const items = await itemsOf(service)
        return namesIn(items).join() === [...expected].sort().join()
      })
    await shows('tokyo alice@example.com')

    fleet.write([
      { name: 'tokyo', proxy: tokyo },
      { name: 'berlin', proxy: berlin },
    ])
    service.child.kill('SIGHUP')
    await shows('tokyo alice@example.com', 'berlin alice@example.com', 'berlin bob@example.com')

    fleet.write([{ name: 'Osaka', proxy: tokyo }])
    service.child.kill('SIGHUP')
    await eventually('the mistake in the log', () =>
      service.output().includes('the proxies stay as they were'),
    )
    await shows('tokyo alice@example.com', 'berlin alice@example.com', 'berlin bob@example.com')
    expect(service.output().trimEnd().split('\n').at(-1)).toContain('the proxies stay as they were')

    fleet.write([
      { name: 'osaka', proxy: tokyo },
      { name: 'berlin', proxy: berlin },
    ])
    service.child.kill('SIGHUP')
    await shows('osaka alice@example.com', 'berlin alice@example.com', 'berlin bob@example.com')

    fleet.write([{ name: 'berlin', proxy: berlin }])
    service.child.kill('SIGHUP')
    await shows('berlin alice@example.com', 'berlin bob@example.com')
    expect(await service.metric('svc_quota_monitor_gateway_up{upstream="berlin"}')).toBe(1)
    const { recentChanges } = await service.json<Health>('/api/v1/health')
    expect(recentChanges.filter(({ code }) => code === 'account_removed')).toEqual([])
    expect(service.output()).not.toMatch(/ERROR.*evaluation/i)
  })

  it('says that a restart is needed where one proxy has become a list', async () => {
    const tokyo = await fleet.proxy([person('alice')])
    const one = `upstream_url = "${tokyo.served.url}"\n`
    fleet.write([], one)
    const service = await fleet.start()
    const hears = (text: string) =>
      eventually(`in the log: ${text}`, () => {
        service.child.kill('SIGHUP')
        return service.output().includes(text)
      })

    fleet.write([{ name: 'tokyo', proxy: tokyo }], one)
    await hears('remove upstream_url, or the tables')
    fleet.write([{ name: 'tokyo', proxy: tokyo }])
    await hears('restart to watch them')
  })
})
