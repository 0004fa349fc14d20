import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { aFakeAccount, createFakeUpstream, type FakeUpstream } from '@svc/fake-proxy'
import { atMost, type Finding, findingsOf, percentile, seededRandom } from '../bench/goals.ts'
import { cpuSeconds, peakRssMb } from '../bench/process-cost.ts'
import { pause } from '../eventually.ts'
import { serveFake } from '../serve-fake.ts'
import { type BenchStore, type Engine, withStore } from './engine.ts'
import { KEY, metricOf, startStoreService } from './service.ts'
import { WORLD } from './world.ts'

const RECORDS = 200_000
const DRAIN_MS_MAX = 120_000
const LOOK_EVERY_MS = 50

/** A queue of 200,000 records that waits when the service starts: how long it takes to be stored, and what that costs. */
export const measureBacklog = (engine: Engine): Promise<readonly Finding[]> =>
  withStore(engine.emptyStore(), measureDrain)

async function measureDrain({ location }: BenchStore): Promise<readonly Finding[]> {
  const now = (): EpochMs => epochMs(Date.now())
  const { fake, record } = worldProxy(now)
  const beganAt = plusMs(now(), -RECORDS)
  for (let number = 0; number < RECORDS; number += 1) record(plusMs(beganAt, number))
  const served = await serveFake(fake, 0)
  const service = await startStoreService(location, served.url)
  while (fake.usage.waitingCount() === RECORDS) await pause(LOOK_EVERY_MS)
  const [beganMs, cpuBefore] = [performance.now(), cpuSeconds(service.pid)]
  const elapsedMs = () => performance.now() - beganMs
  while (fake.usage.waitingCount() > 0 && elapsedMs() < DRAIN_MS_MAX) await pause(LOOK_EVERY_MS)
  while (
    (await metricOf(service, 'usage_rows_ingested_total')) < RECORDS &&
    elapsedMs() < DRAIN_MS_MAX
  )
    await pause(LOOK_EVERY_MS)
  const drainedMs = elapsedMs()
  const cpuMs = (cpuSeconds(service.pid) - cpuBefore) * 1000
  const peakMb = peakRssMb(service.pid)
  const stored = await metricOf(service, 'usage_rows_ingested_total')
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

interface WorldProxy {
  readonly fake: FakeUpstream
  /** Of the accounts, in their order. */
  readonly authIndexes: readonly string[]
  /** A request of anybody for anything, the same sequence in every run. */
  readonly record: (at: EpochMs) => void
}

/** A proxy with the accounts, clients and models of the worlds, and no usage yet. */
export function worldProxy(now: () => EpochMs): WorldProxy {
  const accounts = Array.from({ length: WORLD.accounts }, (_, index) =>
    aFakeAccount({ name: `user${index}` }),
  )
  const fake = createFakeUpstream({ now, managementKey: KEY, accounts })
  fake.settings.queueRetentionSeconds = 3_600
  const authIndexes = accounts.map((account) => fake.authIndexOf(account))
  const random = seededRandom(8)
  const pick = (count: number) => Math.floor(random() * count)
  const record = (at: EpochMs) => {
    const who = pick(WORLD.accounts)
    fake.usage.record({
      at,
      source: accounts[who]?.email ?? '',
      authIndex: authIndexes[who] ?? '',
      apiKey: `sk-client-${pick(WORLD.clients)}`,
      model: `model-${pick(WORLD.models)}`,
      tokens: pick(40_000),
    })
  }
  return { fake, authIndexes, record }
}

const TICK_MS = 50
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

/** P9 and P10: so many events a second through the queue, while somebody reads. */
export const measureSustained = (engine: Engine, seconds: number): Promise<readonly Finding[]> =>
  withStore(engine.emptyStore(), (store) => measureStore(store, engine.goals.sustained, seconds))

async function measureStore(
  store: BenchStore,
  { eventsPerSecond, readMsMax, bytesMax }: Engine['goals']['sustained'],
  seconds: number,
): Promise<readonly Finding[]> {
  const now = (): EpochMs => epochMs(Date.now())
  const { fake, record } = worldProxy(now)
  const served = await serveFake(fake, 0)
  const service = await startStoreService(store.location, served.url)
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
    await pause(1000 / READS_PER_SECOND)
  }
  clearInterval(source)
  await Promise.all(reading)
  for (const [path, times] of byPath)
    console.log(
      `${path}: median ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`,
    )
  const backlog = fake.usage.waitingCount()
  const drainMs = performance.now()
  while (fake.usage.waitingCount() > 0 && performance.now() - drainMs < 60_000) await pause(100)
  await pause(1_000)
  const stored = await metricOf(service, 'usage_rows_ingested_total')
  const gapSeconds = await metricOf(service, 'usage_gap_seconds_total')
  const cpuMs = cpuSeconds(service.pid) * 1000
  const rssMb = peakRssMb(service.pid)
  await service.stop()
  await served.close()
  const bytes = (await store.bytes()) / Math.max(1, stored)
  const what = `${eventsPerSecond}/s for ${seconds} s`
  const figure = (name: string) => `${what}: ${name}`
  return findingsOf([
    ['P9', figure('stored ÷ recorded'), stored / recorded, '', { atLeast: 1 }],
    ['P9', figure('records waiting at the end'), backlog, '', { atMost: 6 * eventsPerSecond }],
    ['P9', figure('longest line (a poll is every 5 s)'), longestLine, ''],
    ['P9', figure('reads, p99'), percentile(readMs, 0.99), 'ms', { atMost: readMsMax }],
    [
      'P9',
      figure(`reads, p99 of the first ${START_MS / 1000} s`),
      percentile(startReadMs, 0.99),
      'ms',
    ],
    ['P9', figure('reads refused'), failures.length, '', { atMost: 0 }],
    ['P9', figure('missed'), gapSeconds, 's', { atMost: 0 }],
    ['P9', figure('processor time a record'), cpuMs / recorded, 'ms'],
    ['P9', figure('largest size'), rssMb, 'MB'],
    ['P10', figure('bytes an event'), bytes, 'B', atMost(bytesMax)],
  ])
}
