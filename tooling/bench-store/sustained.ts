import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs } from '@svc/core'
import { aFakeAccount, createFakeUpstream } from '@svc/fake-proxy'
import type { Finding } from '../bench/goals.ts'
import { cpuSeconds, peakRssMb } from '../bench/process-cost.ts'
import { percentile, seededRandom } from '../bench/statistics.ts'
import { serveFake } from '../serve-fake.ts'
import { KEY, metricOf, startStoreService } from './store-service.ts'

const TICK_MS = 50
const ACCOUNTS = 500
const READS_PER_SECOND = 20
/** A service that has just started is still compiling itself and opening its connections: what it answers then is counted apart. */
const START_MS = 5_000
const READS = [
  '/api/v1/recommendations',
  '/api/v1/status',
  '/api/v1/stats',
  '/metrics',
  '/api/v1/stats/series?range=24h&group=account',
  '/api/v1/stats/series?range=1h&group=model',
  '/api/v1/stats/series?range=7d&group=client',
]

/** A store that the service keeps, and what is asked of it. */
export interface SustainedStore {
  readonly location: string
  /** Of all that it has stored. */
  readonly bytes: () => number | Promise<number>
  readonly eventsPerSecond: number
  readonly goals: { readonly readMsMax: number; readonly bytesMax: number | null }
}

/** P9 and P10 of a store in a file. */
export async function measureSustainedFile(seconds: number): Promise<readonly Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const location = join(folder, 'history.db')
  try {
    return await measureSustained(seconds, {
      location,
      bytes: () => statSync(location).size,
      eventsPerSecond: 5_000,
      goals: { readMsMax: 100, bytesMax: 120 },
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** So many events a second through the queue, while somebody reads. */
export async function measureSustained(
  seconds: number,
  { location, bytes: bytesOf, eventsPerSecond, goals }: SustainedStore,
): Promise<readonly Finding[]> {
  const now = (): EpochMs => epochMs(Date.now())
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) =>
    aFakeAccount({ name: `user${index}` }),
  )
  const fake = createFakeUpstream({ now, managementKey: KEY, accounts })
  fake.settings.queueRetentionSeconds = 3_600
  const served = await serveFake(fake, 0)
  const service = await startStoreService(location, served.url)
  const random = seededRandom(9)
  const indexes = accounts.map((account) => fake.authIndexOf(account))
  const startedMs = performance.now()
  let recorded = 0
  let longestLine = 0
  const source = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * eventsPerSecond)
    for (; recorded < due; recorded += 1) {
      const who = Math.floor(random() * ACCOUNTS)
      fake.usage.record({
        at: now(),
        source: accounts[who]?.email ?? '',
        authIndex: indexes[who] ?? '',
        apiKey: `sk-client-${Math.floor(random() * 50)}`,
        model: `model-${Math.floor(random() * 50)}`,
        tokens: Math.floor(random() * 40_000),
      })
    }
    longestLine = Math.max(longestLine, fake.usage.waitingCount())
    fake.usage.forgetHandedOut()
  }, TICK_MS)

  const readMs: number[] = []
  const startReadMs: number[] = []
  const byPath = new Map<string, number[]>()
  const failures: number[] = []
  const reading: Promise<void>[] = []
  while (performance.now() - startedMs < START_MS + seconds * 1000) {
    // At a fixed rate, whether the one before has been answered or not.
    reading.push(
      (async () => {
        const path = READS[reading.length % READS.length] ?? ''
        const askedMs = performance.now()
        const answer = await fetch(service.url + path)
        await answer.arrayBuffer()
        const tookMs = performance.now() - askedMs
        if (askedMs - startedMs < START_MS) startReadMs.push(tookMs)
        else {
          readMs.push(tookMs)
          byPath.set(path, [...(byPath.get(path) ?? []), tookMs])
        }
        if (answer.status !== 200) failures.push(answer.status)
      })(),
    )
    await new Promise((resolve) => setTimeout(resolve, 1000 / READS_PER_SECOND))
  }
  clearInterval(source)
  await Promise.all(reading)
  for (const [path, times] of byPath)
    console.log(
      `${path}: median ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`,
    )
  const backlog = fake.usage.waitingCount()
  const drainMs = performance.now()
  while (fake.usage.waitingCount() > 0 && performance.now() - drainMs < 60_000)
    await new Promise((resolve) => setTimeout(resolve, 100))
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const stored = await metricOf(service, 'usage_rows_ingested_total')
  const gapSeconds = await metricOf(service, 'usage_gap_seconds_total')
  const cpuMs = cpuSeconds(service.pid) * 1000
  const rssMb = peakRssMb(service.pid)
  await service.stop()
  await served.close()
  const bytes = (await bytesOf()) / Math.max(1, stored)
  const what = `${eventsPerSecond}/s for ${seconds} s`
  return [
    {
      id: 'P9',
      what: `${what}: stored ÷ recorded`,
      measured: stored / recorded,
      unit: '',
      bound: { atLeast: 1 },
    },
    {
      id: 'P9',
      what: `${what}: records waiting at the end`,
      measured: backlog,
      unit: '',
      bound: { atMost: 6 * eventsPerSecond },
    },
    {
      id: 'P9',
      what: `${what}: longest line (a poll is every 5 s)`,
      measured: longestLine,
      unit: '',
      bound: null,
    },
    {
      id: 'P9',
      what: `${what}: reads, p99`,
      measured: percentile(readMs, 0.99),
      unit: 'ms',
      bound: { atMost: goals.readMsMax },
    },
    {
      id: 'P9',
      what: `${what}: reads, p99 of the first ${START_MS / 1000} s`,
      measured: percentile(startReadMs, 0.99),
      unit: 'ms',
      bound: null,
    },
    {
      id: 'P9',
      what: `${what}: reads refused`,
      measured: failures.length,
      unit: '',
      bound: { atMost: 0 },
    },
    { id: 'P9', what: `${what}: missed`, measured: gapSeconds, unit: 's', bound: { atMost: 0 } },
    {
      id: 'P9',
      what: `${what}: processor time a record`,
      measured: cpuMs / recorded,
      unit: 'ms',
      bound: null,
    },
    { id: 'P9', what: `${what}: largest size`, measured: rssMb, unit: 'MB', bound: null },
    {
      id: 'P10',
      what: `${what}: bytes an event`,
      measured: bytes,
      unit: 'B',
      bound: goals.bytesMax === null ? null : { atMost: goals.bytesMax },
    },
  ]
}
