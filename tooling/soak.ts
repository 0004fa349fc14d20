import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
import { percentile, seededRandom } from './bench/goals.ts'
import { rssMb } from './bench/process-cost.ts'
import { eventually, pause } from './eventually.ts'
import { quickPaths, readText } from './read-text.ts'
import { serveFake } from './serve-fake.ts'
import { freePort } from './service/built-program.ts'
import { startService } from './service/start-service.ts'

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
const managementKey = randomBytes(24).toString('base64url')
const fake = createFakeUpstream({
  now,
  managementKey,
  accounts: livePool(Number(values.accounts), now()),
})
const served = await serveFake(fake, 0)
const folder = mkdtempSync(join(tmpdir(), 'svc-soak-'))
const keyFile = join(folder, 'key')
writeFileSync(keyFile, managementKey, { mode: 0o600 })
const service = await startService({
  where: 'program',
  time: 'real',
  args: ['--config', 'off'],
  flags: {
    'upstream-url': served.url,
    'management-key-file': keyFile,
    'log-format': 'json',
    'refresh-seconds': '5',
    'upstream-timeout-seconds': '2',
    'quota-probes-per-minute': '600',
    port: String(await freePort()),
  },
})
await eventually('accounts were read', async () => (await fetch(`${service.url}/readyz`)).ok)
const pid = service.child.pid ?? 0

/** An idle server that is asked in turn with the service. */
const bare = createServer((_, answer) => answer.end('{}')).listen(0, '127.0.0.1')
await once(bare, 'listening')
const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`

const failures: string[] = []
const followed = { bytes: 0, slowDropped: 0 }
const times = new Map([...quickPaths, bareUrl].map((path) => [path, [] as number[]]))
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
bare.close()
rmSync(folder, { recursive: true })
report()

async function readAgainAndAgain(): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  while (running()) {
    for (const path of times.keys()) {
      const readAt = performance.now()
      try {
        const text = await readText(path === bareUrl ? path : service.url + path, agent)
        times.get(path)?.push(performance.now() - readAt)
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
    samples.push({ hours, mb: rssMb(pid), files: readdirSync(`/proc/${pid}/fd`).length })
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

interface LogLine {
  readonly event: string
  readonly source: string
  readonly failing: string
}

/** Transitions that readers saw but that are missing from the log in their order, and those it does not explain. */
function unexplained(lines: readonly LogLine[]): readonly string[] {
  const snapshots = lines.filter(({ event }) => event === 'snapshot')
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

function report(): void {
  const lines = service
    .stderr()
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LogLine]))
  const unexplainedLines = unexplained(lines)
  const reads = [...times.values()].reduce((sum, measured) => sum + measured.length, 0)
  const result = {
    minutes: Number(values.minutes),
    seed: Number(values.seed),
    faults: faultCount,
    reads,
    failedReads: failures.length,
    latencyMs: Object.fromEntries(
      [...times].map(([path, measured]) => [
        path === bareUrl ? 'a bare server' : path,
        {
          p50: percentile(measured, 0.5),
          p99: percentile(measured, 0.99),
          max: percentile(measured, 1),
        },
      ]),
    ),
    followers: { count: Number(values.followers), ...followed },
    memory: {
      firstMb: samples[0]?.mb,
      lastMb: samples.at(-1)?.mb,
      peakMb: Math.max(...samples.map(({ mb }) => mb)),
      slopeMbPerHour: slopeOf(({ mb }) => mb),
    },
    openFiles: {
      first: samples[0]?.files,
      last: samples.at(-1)?.files,
      slopePerHour: slopeOf(({ files }) => files),
    },
    transitions: transitions.length,
    unexplained: unexplainedLines,
    logLines: lines.length,
    refusedRequests: fake.stats.refusedRequests + fake.stats.bannedRequests,
  }
  console.log(
    JSON.stringify(
      result,
      (_name, value: unknown) => (typeof value === 'number' ? Math.round(value * 10) / 10 : value),
      2,
    ),
  )
  for (const failure of new Set(failures)) console.error(failure)
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ ...result, samples }))
  process.exitCode =
    failures.length > 0 || unexplainedLines.length > 0 || result.refusedRequests > 0 ? 1 : 0
}
