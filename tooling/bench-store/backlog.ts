import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import type { Finding } from '../bench/goals.ts'
import { cpuSeconds, peakRssMb } from '../bench/process-cost.ts'
import { serveFake } from '../serve-fake.ts'
import { fakeWithAccounts, recordRequests } from './recorded-requests.ts'
import { metricOf, startStoreService } from './store-service.ts'

const RECORDS = 200_000
const ACCOUNTS = 200
const DRAIN_MS_MAX = 120_000
const LOOK_EVERY_MS = 50

/** A queue of 200,000 records that waits when the service starts: how long it takes to be stored, and what that costs. */
export async function measureBacklog(): Promise<readonly Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const now = (): EpochMs => epochMs(Date.now())
  const fake = fakeWithAccounts(ACCOUNTS, now)
  fake.settings.queueRetentionSeconds = 3_600
  const beganAt = plusMs(now(), -RECORDS)
  recordRequests(fake, {
    count: RECORDS,
    clients: 50,
    models: 20,
    at: (number) => plusMs(beganAt, number),
  })
  const served = await serveFake(fake, 0)
  const service = await startStoreService(join(folder, 'history.db'), served.url)
  while (fake.usage.waitingCount() === RECORDS) await pause()
  const [beganMs, cpuBefore] = [performance.now(), cpuSeconds(service.pid)]
  const elapsedMs = () => performance.now() - beganMs
  while (fake.usage.waitingCount() > 0 && elapsedMs() < DRAIN_MS_MAX) await pause()
  while (
    (await metricOf(service, 'usage_rows_ingested_total')) < RECORDS &&
    elapsedMs() < DRAIN_MS_MAX
  )
    await pause()
  const drainedMs = elapsedMs()
  const cpuMs = (cpuSeconds(service.pid) - cpuBefore) * 1000
  const peakMb = peakRssMb(service.pid)
  const stored = await metricOf(service, 'usage_rows_ingested_total')
  await service.stop()
  await served.close()
  rmSync(folder, { recursive: true, force: true })
  const what = `backlog of ${RECORDS} records`
  return [
    { id: 'P9', what: `${what}: stored`, measured: stored, unit: '', bound: { atLeast: RECORDS } },
    {
      id: 'P9',
      what: `${what}: until it is stored`,
      measured: drainedMs / 1000,
      unit: 's',
      bound: { atMost: 12 },
    },
    {
      id: 'P9',
      what: `${what}: processor time a record`,
      measured: cpuMs / RECORDS,
      unit: 'ms',
      bound: { atMost: 0.08 },
    },
    {
      id: 'P11',
      what: `${what}: largest size`,
      measured: peakMb,
      unit: 'MB',
      bound: { atMost: 130 },
    },
  ]
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
}
