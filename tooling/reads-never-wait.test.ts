import { Agent } from 'node:http'
import { createFakeUpstream, type FakeFault, fakeRoutes, livePool } from '@svc/collector/testing'
import { epochMs } from '@svc/core'
import type { StatusSnapshot } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { percentile } from './bench/statistics.ts'
import { eventually } from './live-service.ts'
import { readPaths } from './read-paths.ts'
import { readText } from './read-text.ts'
import { serveFake } from './serve-fake.ts'
import { freePort, startProgram } from './started-program.ts'

const ROUNDS = 200
const P99_MS_MAX = 20

const FAULTS: readonly (readonly [string, FakeFault])[] = [
  ['answers 5 s late', { kind: 'delay', delayMs: 5_000 }],
  ['drips one byte a second', { kind: 'drip' }],
]

describe('a read never waits for the proxy', () => {
  it.each(FAULTS)('when it %s', { timeout: 90_000 }, async (_what, fault) => {
    const now = () => epochMs(Date.now())
    const fake = createFakeUpstream({ now, managementKey: 'key', accounts: livePool(25, now()) })
    const served = await serveFake(fake, 0)
    const flags = ['--config', 'off', '--upstream-url', served.url, '--refresh-seconds', '5', '--upstream-timeout-seconds', '2']
    const service = await startProgram([...flags, '--port', String(await freePort())], { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'key' })
    const status = async () => (await (await fetch(`${service.url}/api/v1/status`)).json()) as StatusSnapshot
    try {
      await eventually('live', 10_000, async () => (await status()).source === 'live')
      for (const route of fakeRoutes) fake.setFault(route, fault)

      const seen: string[] = []
      const times = new Map(readPaths.map((path) => [path, [] as number[]]))
      await eventually('partial, then stale', 45_000, async () => {
        for (const path of readPaths) times.get(path)?.push(await readMs(service.url + path))
        const { source, sourceText } = await status()
        if (seen.at(-1) !== `${source}: ${sourceText.split(':')[0]}`) seen.push(`${source}: ${sourceText.split(':')[0]}`)
        return source === 'stale'
      })
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const path of readPaths) times.get(path)?.push(await readMs(service.url + path))
      }

      expect(seen.map((line) => line.split(':')[0])).toEqual(['live', 'partial', 'stale'])
      const stale = await status()
      expect(stale.sourceText).toMatch(/last answered at/)
      expect(stale.recommendations.items).toHaveLength(25)
      expect(stale.summary.sampleAgeSeconds).toBeGreaterThanOrEqual(15)
      for (const [path, measured] of times) expect([path, percentile(measured, 0.99) <= P99_MS_MAX]).toEqual([path, true])
      const slowest = Object.fromEntries([...times].map(([path, measured]) => [path, `${percentile(measured, 0.99).toFixed(1)} ms`]))
      console.log(`p99 while the proxy ${_what}: ${JSON.stringify(slowest)}`)
    } finally {
      await service.stop()
      await served.close()
    }
  })
})

/** One kept connection and no client library, so that the time is the service's and not the reader's. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

async function readMs(url: string): Promise<number> {
  const started = performance.now()
  await readText(url, agent)
  return performance.now() - started
}
