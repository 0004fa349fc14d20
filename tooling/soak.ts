import { readdirSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { parseArgs } from 'node:util'
import { epochMs } from '@svc/core'
import {
  aFakeAccount,
  createFakeUpstream,
  type FakeFault,
  type FakeUpstream,
  fakeFaultKinds,
  fakeRoutes,
  livePool,
  vendorBehaviours,
} from '@svc/fake-proxy'
import type { StatusSnapshot } from '@svc/views'
import {
  type Finding,
  findingsOf,
  percentile,
  reportFindings,
  seededRandom,
} from './bench/goals.ts'
import { KEY, startProgram } from './bench/measured-service.ts'
import { jsonLinesOf, rssMb } from './bench/process-cost.ts'
import { eventually, pause } from './eventually.ts'
import { quickPaths, readText } from './read-text.ts'
import { serveFake } from './serve-fake.ts'

/** Runs the real program in front of a fake proxy whose faults keep changing, with readers, and reports whether every check held. */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    accounts: { type: 'string', default: '200' },
    followers: { type: 'string', default: '64' },
    json: { type: 'string' },
  },
})
const READERS = 4
const READ_PAUSE_MS = 80
const FAULT_MS = [2_000, 8_000] as const
const HEALTHY_MS = 30_000
const SAMPLE_MS = 10_000
const WARM_UP_MS = Math.min(5, Number(values.minutes) / 4) * 60_000

const random = seededRandom(Number(values.seed))
const pick = <Choice>(choices: readonly Choice[]): Choice =>
  choices[Math.floor(random() * choices.length)] as Choice
const now = () => epochMs(Date.now())
const fake = createFakeUpstream({
  now,
  managementKey: KEY,
  accounts: livePool(Number(values.accounts), now()),
})
const served = await serveFake(fake, 0)
const service = await startProgram(served.url, {
  flags: {
    'log-level': 'info',
    'log-format': 'json',
    'refresh-seconds': '5',
    'upstream-timeout-seconds': '2',
    'quota-probes-per-minute': '600',
  },
})
await eventually('accounts were read', async () => (await fetch(`${service.url}/readyz`)).ok)

const failures: string[] = []
const followed = { bytes: 0, slowDropped: 0 }
const readMs: number[] = []
const transitions: string[] = []
const samples: { readonly hours: number; readonly mb: number; readonly files: number }[] = []
let wasAvailable = false
let faultCount = 0
const started = performance.now()
const endsAt = started + Number(values.minutes) * 60_000
const running = () => performance.now() < endsAt

await Promise.all([
  ...Array.from({ length: READERS }, () => readAgainAndAgain()),
  ...Array.from({ length: Number(values.followers) }, (_, index) =>
    followAgainAndAgain(index === 0),
  ),
  changeFaults(),
  sample(),
])
fakeHealthy()
await pause(SAMPLE_MS)
note((JSON.parse(await readText(`${service.url}/api/v1/status`)) as StatusSnapshot).source)
await service.stop()
await served.close()
for (const failure of new Set(failures)) console.error(failure)
const isHealthy = await reportFindings(measured(), values.json, { options: values, samples })
process.exitCode = isHealthy ? 0 : 1

async function readAgainAndAgain(): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  while (running()) {
    for (const path of quickPaths) {
      const readAt = performance.now()
      try {
        const text = await readText(service.url + path, agent)
        readMs.push(performance.now() - readAt)
        if (path === '/api/v1/status') check(JSON.parse(text) as StatusSnapshot)
        else if (!path.endsWith('.ics') && path !== '/metrics') JSON.parse(text)
      } catch (error) {
        failures.push(`${path}: ${error instanceof Error ? error.message : 'unknown error'}`)
      }
      await pause(READ_PAUSE_MS * random())
    }
  }
  agent.destroy()
}

/** Follows the events and reconnects when the stream ends; a slow client never reads. */
async function followAgainAndAgain(isSlow: boolean): Promise<void> {
  while (running()) {
    const signal = AbortSignal.timeout(Math.ceil(endsAt - performance.now()))
    await new Promise((resolve) => {
      const asked = get(`${service.url}/api/v1/events`, { agent: false, signal }, (answer) => {
        if (answer.statusCode !== 200) failures.push(`events: ${answer.statusCode}`)
        answer.on('error', () => undefined).on('close', resolve)
        if (!isSlow)
          answer.on('data', (bytes: Buffer) => {
            followed.bytes += bytes.length
          })
      })
      asked.on('error', resolve)
    })
    if (!running()) return
    if (isSlow) followed.slowDropped += 1
    else failures.push('events: a stream ended')
  }
}

function check({ source, available, recommendations }: StatusSnapshot): void {
  note(source)
  wasAvailable ||= available
  if (wasAvailable && recommendations.items.length === 0) failures.push('the account list is empty')
}

function note(source: string): void {
  if (transitions.at(-1) !== source) transitions.push(source)
}

async function changeFaults(): Promise<void> {
  while (running()) {
    if (random() < 0.1) {
      fakeHealthy()
      await pause(HEALTHY_MS)
      continue
    }
    faultCount += 1
    await changeOneThing(fake)
    await pause(FAULT_MS[0] + random() * (FAULT_MS[1] - FAULT_MS[0]))
  }
}

function fakeHealthy(): void {
  for (const route of fakeRoutes) fake.setFault(route, null)
  fake.settings.clockAheadMs = 0
}

async function changeOneThing(proxy: FakeUpstream): Promise<void> {
  const account = pick(proxy.accounts)
  const changes: readonly (() => void | Promise<void>)[] = [
    () => proxy.setFault(pick(fakeRoutes), aFault(pick(fakeFaultKinds))),
    () => proxy.setFault(pick(fakeRoutes), aFault(pick(fakeFaultKinds))),
    () => {
      for (const route of fakeRoutes) proxy.setFault(route, aFault(pick(fakeFaultKinds)))
    },
    () => proxy.setFault(pick(fakeRoutes), null),
    () => proxy.setFault(pick(fakeRoutes), null),
    () => proxy.setVendor(account, pick(vendorBehaviours)),
    () => proxy.rename(account, `codex-renamed-${faultCount}.json`),
    () => (account.disabled ? proxy.enable(account) : proxy.disable(account)),
    () => proxy.remove(account),
    () => proxy.add(aFakeAccount({ name: `new${faultCount}` })),
    () => proxy.traffic(account, { success: 5, failed: 1 }),
    () => proxy.restart(),
    () => {
      proxy.settings.clockAheadMs = Math.floor(random() * 900_000)
    },
    async () => {
      await served.close()
      await pause(500 + random() * 4_000)
      await served.reopen()
    },
  ]
  await pick(changes)()
}

/** A fault of this kind for which the proxy would not ban us; refused keys belong to another test. */
function aFault(kind: (typeof fakeFaultKinds)[number]): FakeFault {
  switch (kind) {
    case 'status':
      return {
        kind,
        status: pick([204, 302, 404, 429, 500, 502, 503]),
        headers: { location: '/elsewhere', 'retry-after': pick(['1', '5', '-1', 'soon']) },
      }
    case 'delay':
      return { kind, delayMs: Math.floor(random() * 5_000) }
    case 'body':
      return { kind, body: pick(['', 'null', '{}', '{"files":{}}', '<html>', '[]']) }
    default:
      return { kind }
  }
}

async function sample(): Promise<void> {
  while (running()) {
    await pause(SAMPLE_MS)
    const hours = (performance.now() - started) / 3_600_000
    const files = readdirSync(`/proc/${service.pid}/fd`).length
    samples.push({ hours, mb: rssMb(service.pid), files })
  }
}

/** Change per hour by least squares, after the warm-up. */
function slopeOf(value: (one: (typeof samples)[number]) => number): number {
  const late = samples.filter(({ hours }) => hours * 3_600_000 > WARM_UP_MS)
  const mean = (of: (one: (typeof samples)[number]) => number) =>
    late.reduce((sum, one) => sum + of(one), 0) / late.length
  const [meanHours, meanValue] = [mean(({ hours }) => hours), mean(value)]
  const covariance = late.reduce(
    (sum, one) => sum + (one.hours - meanHours) * (value(one) - meanValue),
    0,
  )
  return covariance / late.reduce((sum, { hours }) => sum + (hours - meanHours) ** 2, 0)
}

/** Transitions that readers saw but that are missing from the log in their order, and those it does not explain. */
function unexplained(): readonly string[] {
  const snapshots = jsonLinesOf(service).filter(({ event }) => event === 'snapshot')
  let at = 0
  const missing = transitions.filter((source) => {
    const found = snapshots.findIndex((line, index) => index >= at && line.source === source)
    if (found >= 0) at = found
    return found < 0
  })
  const silent = snapshots.filter(
    ({ source, failing }) => (source === 'partial' || source === 'stale') && failing === '',
  )
  return [
    ...missing.map((source) => `a change to ${source} is not in the log`),
    ...silent.map(({ source }) => `a ${source} without a cause`),
  ]
}

async function* measured(): AsyncGenerator<readonly Finding[]> {
  const unexplainedChanges = unexplained()
  for (const change of new Set(unexplainedChanges)) console.error(change)
  const { refusedRequests, bannedRequests } = fake.stats
  const none = { atMost: 0 }
  yield findingsOf([
    ['soak', 'changes of the proxy', faultCount, ''],
    ['soak', 'reads', readMs.length, ''],
    ['soak', 'reads and events that failed', failures.length, '', none],
    ['soak', 'reads, p99', percentile(readMs, 0.99), 'ms'],
    ['soak', 'events read', followed.bytes / 1e6, 'MB'],
    ['soak', 'clients dropped because they do not read', followed.slowDropped, ''],
    ['soak', 'changes of the source', transitions.length, ''],
    ['soak', 'changes that the log does not explain', unexplainedChanges.length, '', none],
    ['soak', 'requests that the proxy refused', refusedRequests + bannedRequests, '', none],
    ['soak', 'largest memory', Math.max(...samples.map(({ mb }) => mb)), 'MB'],
    ['soak', 'growth of memory after the warm-up', slopeOf(({ mb }) => mb), 'MB/h'],
    ['soak', 'growth of open files after the warm-up', slopeOf(({ files }) => files), '/h'],
  ])
}
