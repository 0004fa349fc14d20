import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import type { Finding } from '../bench/goals.ts'
import { loopDelayOf } from '../bench/loop-watch.ts'
import { cpuSeconds, peakRssMb } from '../bench/process-cost.ts'
import { serveFake } from '../serve-fake.ts'
import { fakeWithAccounts, recordRequests } from './recorded-requests.ts'
import { metricOf, startIdleServer, startStoreService } from './store-service.ts'

const ROWS = 200_000
const IDLE_MS = 20_000
const SETTLE_MS = 3_000
const POLL_MS_MAX = 150_000

/** A legacy tree of 200,000 requests: what reading it costs, the first time and when nothing is new. */
export async function measureTree(): Promise<readonly Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const now = (): EpochMs => epochMs(Date.now())
  const fake = fakeWithAccounts(50, now)
  fake.settings.usage = 'legacy'
  recordRequests(fake, {
    count: ROWS,
    clients: 20,
    models: 5,
    at: (number) => plusMs(now(), -number * 1_500),
  })
  fake.usage.forgetHandedOut()
  const treeMb = fake.usage.tree().length / 1e6
  const served = await serveFake(fake, 0)
  const service = await startStoreService(join(folder, 'history.db'), served.url)
  const idle = await startIdleServer(folder)
  const polls = () => fake.stats.requestsByRoute.usage
  /** Of every thread but the main one. */
  const cpuMs = () =>
    readdirSync(`/proc/${service.pid}/task`)
      .filter((thread) => thread !== String(service.pid))
      .map((thread) => cpuSeconds(`${service.pid}/task/${thread}`) * 1000)
      .reduce((sum, ms) => sum + ms, 0)
  const stallMs = async () => {
    const [own, machine] = await Promise.all([loopDelayOf(service), loopDelayOf(idle)])
    return { own: own.maxMs, machine: machine.maxMs }
  }
  const until = async (check: () => Promise<boolean> | boolean) => {
    const startedMs = performance.now()
    while (!(await check())) {
      if (performance.now() - startedMs > POLL_MS_MAX) throw new Error('the tree is not read')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return performance.now() - startedMs
  }
  await new Promise((resolve) => setTimeout(resolve, 300))
  await stallMs()
  const firstMs = await until(
    async () => (await metricOf(service, 'usage_rows_ingested_total')) === ROWS,
  )
  const firstStall = await stallMs()

  // What the service does anyway is taken off.
  const idleBeforeMs = cpuMs()
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const idleShare = (cpuMs() - idleBeforeMs) / IDLE_MS
  const pollsBefore = polls()
  await stallMs()
  const beforeMs = cpuMs()
  const waitedMs = await until(() => polls() > pollsBefore)
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const spentMs = cpuMs() - beforeMs - idleShare * (waitedMs + SETTLE_MS)
  const secondStall = await stallMs()
  const rssMb = peakRssMb(service.pid)
  await Promise.all([service.stop(), idle.stop()])
  await served.close()
  rmSync(folder, { recursive: true, force: true })
  const what = `legacy tree of ${ROWS} rows (${Math.round(treeMb)} MB)`
  return [
    {
      id: 'tree',
      what: `${what}: until it is stored`,
      measured: firstMs / 1000,
      unit: 's',
      bound: null,
    },
    {
      id: 'tree',
      what: `${what}: longest stall of the event loop, new`,
      measured: firstStall.own,
      unit: 'ms',
      bound: { atMost: 30 },
    },
    {
      id: 'tree',
      what: `${what}: the same of an idle server beside it`,
      measured: firstStall.machine,
      unit: 'ms',
      bound: null,
    },
    {
      id: 'tree',
      what: `${what}: longest stall of the event loop, unchanged`,
      measured: secondStall.own,
      unit: 'ms',
      bound: { atMost: 30 },
    },
    {
      id: 'tree',
      what: `${what}: the same of an idle server beside it, unchanged`,
      measured: secondStall.machine,
      unit: 'ms',
      bound: null,
    },
    {
      id: 'tree',
      what: `${what}: processor time of a poll without anything new, off the main thread`,
      measured: spentMs,
      unit: 'ms',
      bound: { atMost: 600 },
    },
    {
      id: 'tree',
      what: `${what}: largest size`,
      measured: rssMb,
      unit: 'MB',
      bound: { atMost: 400 },
    },
  ]
}
