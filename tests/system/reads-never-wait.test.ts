import { Agent } from 'node:http'
import { createFakeUpstream, type FakeFault, fakeRoutes, livePool } from '@svc/fake-proxy'
import type { StatusSnapshot } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { percentile } from '../../tooling/bench/goals.ts'
import { eventually } from '../../tooling/eventually.ts'
import { neighbourUrl } from '../../tooling/faults/neighbour.ts'
import { quickPaths, readText } from '../../tooling/read-text.ts'
import { serveFake } from '../../tooling/serve-fake.ts'
import { freePort } from '../../tooling/service/built-program.ts'
import { startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, monotonicNowMs } from '../../tooling/test-instant.ts'

const ROUNDS = 200
const REFRESH_SECONDS = 5
/** A list is old after three rounds without another. */
const STALE_SECONDS = 3 * REFRESH_SECONDS
/**
 * How many times as long as a server with nothing to do a read may take at its 95th percentile. A read that waited for the proxy would
 * take thousands of times as long.
 */
const TIMES_NEIGHBOUR_MAX = 100

const FAULTS: readonly (readonly [string, FakeFault])[] = [
  ['answers 5 s late', { kind: 'delay', delayMs: 5_000 }],
  ['drips one byte a second', { kind: 'drip' }],
]

describe('a read never waits for the proxy', () => {
  it.each(FAULTS)('when it %s', async (_what, fault) => {
    const { now } = acceleratedClock()
    const neighbour = await neighbourUrl()
    const fake = createFakeUpstream({ now, managementKey: 'key', accounts: livePool(25, now()) })
    const served = await serveFake(fake, 0)
    const flags = [
      '--config',
      'off',
      '--upstream-url',
      served.url,
      '--refresh-seconds',
      String(REFRESH_SECONDS),
      '--upstream-timeout-seconds',
      '2',
    ]
    const service = await startService({
      where: 'program',
      args: [...flags, '--port', String(await freePort())],
      env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'key' },
    })
    const status = async () =>
      (await (await fetch(`${service.url}/api/v1/status`)).json()) as StatusSnapshot
    try {
      await eventually('live', async () => (await status()).source === 'live')
      for (const route of fakeRoutes) fake.setFault(route, fault)

      const seen: StatusSnapshot['source'][] = ['live']
      const times = new Map(quickPaths.map((path) => [path, [] as number[]]))
      const neighbourMs: number[] = []
      const readAll = async () => {
        for (const path of quickPaths) times.get(path)?.push(await readMs(service.url + path))
        neighbourMs.push(await readMs(neighbour))
      }
      let first = await status()
      await eventually('partial, then stale', async () => {
        await readAll()
        first = await status()
        if (first.source !== seen.at(-1)) seen.push(first.source)
        return first.source === 'stale'
      })
      for (let round = 0; round < ROUNDS; round += 1) await readAll()

      expect(seen).toEqual(['live', 'partial', 'stale'])
      // A snapshot is worded at the whole second before it, so that it shows up to a second less.
      expect(first.summary.sampleAgeSeconds).toBeGreaterThanOrEqual(STALE_SECONDS - 1)
      let stale = first
      await eventually('its age goes on', async () => {
        stale = await status()
        return (stale.summary.sampleAgeSeconds ?? 0) >= STALE_SECONDS
      })
      expect(stale.source).toBe('stale')
      expect(stale.sourceText).toMatch(/last answered at/)
      expect(stale.recommendations.items).toHaveLength(25)
      expect(stale.recommendations.sampledAt).toBe(first.recommendations.sampledAt)
      const usual = percentile(neighbourMs, 0.95)
      const slow = [...times]
        .filter(([, measured]) => percentile(measured, 0.95) > TIMES_NEIGHBOUR_MAX * usual)
        .map(([path]) => path)
      expect(slow).toEqual([])
    } finally {
      await service.stop()
      await served.close()
    }
  })
})

/** One kept connection and no client library, so that the time is the service's and not the reader's. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

async function readMs(url: string): Promise<number> {
  const started = monotonicNowMs()
  await readText(url, agent)
  return monotonicNowMs() - started
}
