import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { aFakeAccount, createFakeUpstream } from '@svc/collector/testing'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { startChild } from '../bench/child.ts'
import type { Finding } from '../bench/goals.ts'
import { serveFake } from '../serve-fake.ts'
import { freePort, program } from '../started-program.ts'
import { top } from '../top.ts'

const KEY = 'tree-management-key'
const ROWS = 200_000
const IDLE_MS = 20_000
const SETTLE_MS = 3_000
const POLL_MS_MAX = 150_000

/** A legacy tree of 200,000 requests: what reading it costs, the first time and when nothing is new. */
export async function measureTree(): Promise<readonly Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const now = (): EpochMs => epochMs(Date.now())
  const accounts = Array.from({ length: 50 }, (_, index) => aFakeAccount({ name: `user${index}` }))
  const fake = createFakeUpstream({ now, managementKey: KEY, accounts })
  fake.settings.usage = 'legacy'
  for (let number = 0; number < ROWS; number += 1) {
    const account = accounts[number % accounts.length]
    if (account === undefined) continue
    fake.usage.record({
      at: plusMs(now(), -number * 1_500),
      source: account.email,
      authIndex: fake.authIndexOf(account),
      apiKey: `sk-client-${number % 20}`,
      model: `model-${number % 5}`,
      tokens: number % 40_000,
    })
  }
  fake.usage.forgetHandedOut()
  const treeMb = fake.usage.tree().length / 1e6
  const served = await serveFake(fake, 0)
  const flags = [
    '--config',
    'off',
    '--port',
    String(await freePort()),
    '--state-db',
    join(folder, 'history.db'),
    '--upstream-url',
    served.url,
    '--quota-transport',
    'off',
    '--log-level',
    'error',
  ]
  const service = await startChild(['--import', join(top, 'tooling/dist/bench/loop-delay.js'), program, ...flags], {
    env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: KEY },
    processors: `0-${cpus().length - 1}`,
  })
  const stored = async () =>
    Number(/^svc_quota_monitor_usage_rows_ingested_total (\S+)$/m.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1] ?? 0)
  const polls = () => fake.stats.requestsByRoute.usage
  /** Of every thread but the main one. */
  const cpuMs = () =>
    readdirSync(`/proc/${service.pid}/task`)
      .filter((thread) => thread !== String(service.pid))
      .map((thread) => {
        const fields = readFileSync(`/proc/${service.pid}/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
        return (Number(fields[11]) + Number(fields[12])) * 10
      })
      .reduce((sum, ms) => sum + ms, 0)
  const loopDelay = async () => {
    const before = service.stderr().split('loopDelay').length
    process.kill(service.pid, 'SIGWINCH')
    while (service.stderr().split('loopDelay').length === before) await new Promise((resolve) => setTimeout(resolve, 20))
    const line =
      service
        .stderr()
        .split('\n')
        .findLast((each) => each.includes('"loopDelay"')) ?? '{}'
    return (JSON.parse(line) as { readonly loopDelay: { readonly maxMs: number } }).loopDelay.maxMs
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
  await loopDelay()
  const firstMs = await until(async () => (await stored()) === ROWS)
  const firstStallMs = await loopDelay()

  // What the service does anyway is taken off.
  const idleBeforeMs = cpuMs()
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const idleShare = (cpuMs() - idleBeforeMs) / IDLE_MS
  const pollsBefore = polls()
  await loopDelay()
  const beforeMs = cpuMs()
  const waitedMs = await until(() => polls() > pollsBefore)
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const spentMs = cpuMs() - beforeMs - idleShare * (waitedMs + SETTLE_MS)
  const secondStallMs = await loopDelay()
  const rssMb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  await service.stop()
  await served.close()
  rmSync(folder, { recursive: true, force: true })
  const what = `legacy tree of ${ROWS} rows (${Math.round(treeMb)} MB)`
  return [
    { id: 'tree', what: `${what}: until it is stored`, measured: firstMs / 1000, unit: 's', bound: null },
    { id: 'tree', what: `${what}: longest stall of the event loop, new`, measured: firstStallMs, unit: 'ms', bound: { atMost: 30 } },
    { id: 'tree', what: `${what}: longest stall of the event loop, unchanged`, measured: secondStallMs, unit: 'ms', bound: { atMost: 30 } },
    {
      id: 'tree',
      what: `${what}: processor time of a poll without anything new, off the main thread`,
      measured: spentMs,
      unit: 'ms',
      bound: { atMost: 600 },
    },
    { id: 'tree', what: `${what}: largest size`, measured: rssMb, unit: 'MB', bound: { atMost: 400 } },
  ]
}
