import { readdirSync } from 'node:fs'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { type Finding, findingsOf } from '../bench/goals.ts'
import { loopDelayOf } from '../bench/loop-watch.ts'
import { cpuSeconds, peakRssMb } from '../bench/process-cost.ts'
import { eventually, pause } from '../eventually.ts'
import { serveFake } from '../serve-fake.ts'
import { type BenchStore, type Engine, withStore } from './engine.ts'
import { fakeWithAccounts, recordRequests } from './recorded-requests.ts'
import { metricOf, startIdleServer, startStoreService } from './store-service.ts'

const ROWS = 200_000
const IDLE_MS = 20_000
const SETTLE_MS = 3_000

/** A legacy tree of 200,000 requests: what reading it costs, the first time and when nothing is new. */
export const measureTree = (engine: Engine): Promise<readonly Finding[]> =>
  withStore(engine.emptyStore(), measureStore)

async function measureStore({ location }: BenchStore): Promise<readonly Finding[]> {
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
  const service = await startStoreService(location, served.url)
  const idle = await startIdleServer()
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
  const until = async (what: string, check: () => Promise<boolean> | boolean) => {
    const startedMs = performance.now()
    await eventually(what, check)
    return performance.now() - startedMs
  }
  await pause(300)
  await stallMs()
  const firstMs = await until(
    'the tree is stored',
    async () => (await metricOf(service, 'usage_rows_ingested_total')) === ROWS,
  )
  const firstStall = await stallMs()

  // What the service does anyway is taken off.
  const idleBeforeMs = cpuMs()
  await pause(IDLE_MS)
  const idleShare = (cpuMs() - idleBeforeMs) / IDLE_MS
  const pollsBefore = polls()
  await stallMs()
  const beforeMs = cpuMs()
  const waitedMs = await until('a poll', () => polls() > pollsBefore)
  await pause(SETTLE_MS)
  const spentMs = cpuMs() - beforeMs - idleShare * (waitedMs + SETTLE_MS)
  const secondStall = await stallMs()
  const rssMb = peakRssMb(service.pid)
  await Promise.all([service.stop(), idle.stop()])
  await served.close()
  const what = `legacy tree of ${ROWS} rows (${Math.round(treeMb)} MB)`
  const stall = 'longest stall of the event loop'
  const figure = (name: string) => `${what}: ${name}`
  const cost = 'processor time of a poll without anything new, off the main thread'
  return findingsOf([
    ['tree', figure('until it is stored'), firstMs / 1000, 's'],
    ['tree', figure(`${stall}, new`), firstStall.own, 'ms', { atMost: 30 }],
    ['tree', figure('the same of an idle server beside it'), firstStall.machine, 'ms'],
    ['tree', figure(`${stall}, unchanged`), secondStall.own, 'ms', { atMost: 30 }],
    ['tree', figure('the same of an idle server beside it, unchanged'), secondStall.machine, 'ms'],
    ['tree', figure(cost), spentMs, 'ms', { atMost: 600 }],
    ['tree', figure('largest size'), rssMb, 'MB', { atMost: 400 }],
  ])
}
