import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { type Finding, findingsOf } from '../bench/goals.ts'
import { cpuSeconds, peakRssMb } from '../bench/process-cost.ts'
import { pause } from '../eventually.ts'
import { serveFake } from '../serve-fake.ts'
import { type BenchStore, type Engine, withStore } from './engine.ts'
import { worldProxy } from './proxy.ts'
import { metricOf, startStoreService } from './store-service.ts'

const RECORDS = 200_000
const DRAIN_MS_MAX = 120_000
const LOOK_EVERY_MS = 50

/** A queue of 200,000 records that waits when the service starts: how long it takes to be stored, and what that costs. */
export const measureBacklog = (engine: Engine): Promise<readonly Finding[]> =>
  withStore(engine.emptyStore(), measureStore)

async function measureStore({ location }: BenchStore): Promise<readonly Finding[]> {
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
