import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { openHistory } from '@svc/history'
import { type Finding, findingsOf, percentile } from '../bench/goals.ts'
import { cpuSeconds, peakRssMb } from '../bench/process-cost.ts'
import { WORLD_DAYS, worldProxy } from '../bench/world.ts'
import { pause } from '../eventually.ts'
import { serveFake } from '../serve-fake.ts'
import type { ServiceProcess } from '../service/start-service.ts'
import { type BenchStore, type Engine, withStore } from './engine.ts'
import { startStoreService } from './service.ts'

const RECORDS = 200_000
const DRAIN_MS_MAX = 120_000
const LOOK_EVERY_MS = 50
const now = (): EpochMs => epochMs(Date.now())

/** A queue of 200,000 records that waits when the service starts: how long it takes to be stored, and what that costs. */
export const measureBacklog = (engine: Engine): Promise<readonly Finding[]> =>
  withStore(engine.emptyStore(), async (store) => {
    await keepUp(store)
    return await measureDrain(store)
  })

/** Upkeep as of a store in use, after which requests wait to be summed by rate. */
async function keepUp({ location }: BenchStore): Promise<void> {
  const store = await openHistory(location)
  const plan = { usageDays: WORLD_DAYS, historyDays: WORLD_DAYS }
  await store.retain(plan, { asOf: now(), rowsMax: 1 })
  await store.close()
}

async function measureDrain({ location }: BenchStore): Promise<readonly Finding[]> {
  const { fake, record } = worldProxy(now)
  const beganAt = plusMs(now(), -RECORDS)
  for (let number = 0; number < RECORDS; number += 1) record(plusMs(beganAt, number))
  const served = await serveFake(fake, 0)
  const service = await startStoreService(location, served.url)
  while (fake.usage.waitingCount() === RECORDS) await pause(LOOK_EVERY_MS)
  const [beganMs, cpuBefore] = [performance.now(), cpuSeconds(service.pid)]
  const elapsedMs = () => performance.now() - beganMs
  while (fake.usage.waitingCount() > 0 && elapsedMs() < DRAIN_MS_MAX) await pause(LOOK_EVERY_MS)
  while ((await storedBy(service)) < RECORDS && elapsedMs() < DRAIN_MS_MAX)
    await pause(LOOK_EVERY_MS)
  const drainedMs = elapsedMs()
  const cpuMs = (cpuSeconds(service.pid) - cpuBefore) * 1000
  const peakMb = peakRssMb(service.pid)
  const stored = await storedBy(service)
  await service.stop()
  await served.close()
  const what = `backlog of ${RECORDS} records`
  const figure = (name: string) => `${what}: ${name}`
  return findingsOf([
    ['P9', figure('stored'), stored, '', { atLeast: RECORDS }],
    ['P9', figure('until it is stored'), drainedMs / 1000, 's', { atMost: 12 }],
    ['P9', figure('processor time a record'), cpuMs / RECORDS, 'ms', { atMost: 0.08 }],
    ['P11', figure('largest size'), peakMb, 'MB', { atMost: 130 }],
  ])
}

/** Number of records that a service has stored; NaN if it does not say. */
async function storedBy(service: ServiceProcess): Promise<number> {
  return (await service.metric('svc_quota_monitor_usage_rows_ingested_total')) ?? Number.NaN
}

const TICK_MS = 50
const READS_PER_SECOND = 20
/** A service that has just started is still compiling itself and opening its connections: what it answers then does not count. */
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

/** P9 and P10: so many events a second through the queue, while somebody reads. */
export const measureSustained = (engine: Engine, seconds: number): Promise<readonly Finding[]> =>
  withStore(engine.emptyStore(), (store) => measureStore(store, engine.sustained, seconds))

async function measureStore(
  { location }: BenchStore,
  { eventsPerSecond, readMsMax }: Engine['sustained'],
  seconds: number,
): Promise<readonly Finding[]> {
  const { fake, record } = worldProxy(now)
  const served = await serveFake(fake, 0)
  const service = await startStoreService(location, served.url)
  const startedMs = performance.now()
  let recorded = 0
  let longestLine = 0
  const source = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * eventsPerSecond)
    for (; recorded < due; recorded += 1) record(now())
    longestLine = Math.max(longestLine, fake.usage.waitingCount())
    fake.usage.forgetHandedOut()
  }, TICK_MS)

  const readMs: number[] = []
  let refusedCount = 0
  const reading: Promise<void>[] = []
  const read = async (path: string) => {
    const askedMs = performance.now()
    const answer = await fetch(service.url + path)
    await answer.arrayBuffer()
    if (askedMs - startedMs >= START_MS) readMs.push(performance.now() - askedMs)
    if (answer.status !== 200) refusedCount += 1
  }
  while (performance.now() - startedMs < START_MS + seconds * 1000) {
    // At a fixed rate, whether the one before has been answered or not.
    reading.push(read(READS[reading.length % READS.length] ?? ''))
    await pause(1000 / READS_PER_SECOND)
  }
  clearInterval(source)
  await Promise.all(reading)
  const backlog = fake.usage.waitingCount()
  const drainMs = performance.now()
  while (fake.usage.waitingCount() > 0 && performance.now() - drainMs < 60_000) await pause(100)
  await pause(1_000)
  const stored = await storedBy(service)
  const gapSeconds =
    (await service.metric('svc_quota_monitor_usage_gap_seconds_total')) ?? Number.NaN
  const cpuMs = cpuSeconds(service.pid) * 1000
  const rssMb = peakRssMb(service.pid)
  await service.stop()
  await served.close()
  const figure = (name: string) => `${eventsPerSecond}/s for ${seconds} s: ${name}`
  return findingsOf([
    ['P9', figure('stored ÷ recorded'), stored / recorded, '', { atLeast: 1 }],
    ['P9', figure('records waiting at the end'), backlog, '', { atMost: 6 * eventsPerSecond }],
    ['P9', figure('longest line (a poll is every 5 s)'), longestLine, ''],
    ['P9', figure('reads, p99'), percentile(readMs, 0.99), 'ms', { atMost: readMsMax }],
    ['P9', figure('reads refused'), refusedCount, '', { atMost: 0 }],
    ['P9', figure('missed'), gapSeconds, 's', { atMost: 0 }],
    ['P9', figure('processor time a record'), cpuMs / recorded, 'ms'],
    ['P9', figure('largest size'), rssMb, 'MB'],
  ])
}
