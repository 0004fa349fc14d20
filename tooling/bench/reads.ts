import type { NodeProcess } from '../service/node-process.ts'
import {
  type Effort,
  type Finding,
  findingsOf,
  median,
  medianInterval,
  percentile,
} from './goals.ts'
import { arriveAt, type Load, saturate } from './load.ts'
import { startSampledService, untilSampled } from './measured-service.ts'
import { cpuSeconds } from './process-cost.ts'
import {
  measuredPaths,
  recordAnswers,
  requestHeaders,
  startBareServer,
} from './recorded-answers.ts'

const POOL_SIZES = [10, 200, 1000]
const CONNECTIONS = 32
const SAMPLED_MS_MAX = 12_000

/** P1, P2, P3, P4: cost of a read, compared with a bare server that sends the same bytes and headers. */
export async function measureReads(effort: Effort): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const accounts of POOL_SIZES) {
    // Every account is read once before, so that what is measured is the usual day and not the first minutes.
    const sampling = { factor: 10, seconds: 3 + accounts / 100 }
    const service = await startSampledService(accounts, sampling)
    await untilSampled(service, SAMPLED_MS_MAX)
    const answers = await recordAnswers(service.url)
    const bare = await startBareServer(answers, '0')
    const hono = await startBareServer(answers, '0', { kind: 'hono' })

    const path = '/api/v1/recommendations'
    for (const [id, kind, atLeast] of [
      ['P1', 'plain', 0.85],
      ['P2', 'gzip', 0.85],
      ['P2', 'not_modified', 0.75],
    ] as const) {
      const headers = requestHeaders(kind)
      findings.push(
        ...(await ratios(id, `${path} ${kind}, ${accounts} accounts`, atLeast, {
          effort,
          service,
          bare,
          path,
          headers,
        })),
      )
    }
    findings.push(...(await ownCost(accounts, { effort, service, hono })))
    for (const read of measuredPaths.filter((each) => each.startsWith('/api/')))
      findings.push(...(await slowest(read, accounts, { effort, service, bare })))
    for (const child of [service, bare, hono]) await child.stop()
  }
  return findings
}

/** Measured values of all rounds, after one warm-up round. */
async function eachRound<Value>(
  { rounds, seconds, warmUpSeconds }: Effort,
  measure: (seconds: number) => Promise<Value>,
): Promise<readonly Value[]> {
  await measure(warmUpSeconds)
  const measured: Value[] = []
  for (let round = 0; round < rounds; round += 1) measured.push(await measure(seconds))
  return measured
}

interface Pair {
  readonly effort: Effort
  readonly service: NodeProcess
  readonly bare: NodeProcess
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** Throughput and processor time per request relative to the bare server; the latter does not depend on the speed of the load. */
async function ratios(
  id: string,
  what: string,
  atLeast: number,
  { effort, service, bare, path, headers }: Pair,
): Promise<readonly Finding[]> {
  const rounds = await eachRound(effort, async (seconds) => {
    const load = { headers, connections: CONNECTIONS, seconds }
    const ours = await cost(service, { ...load, url: service.url + path })
    const theirs = await cost(bare, { ...load, url: bare.url + path })
    return [ours.perSecond / theirs.perSecond, theirs.cpuMicros / ours.cpuMicros] as const
  })
  const throughput = rounds.map(([ratio]) => ratio)
  const processor = rounds.map(([, ratio]) => ratio)
  const perSecond = `${what}: throughput ÷ bare`
  const perCpu = `${what}: requests per CPU second ÷ bare`
  return findingsOf([
    [id, perSecond, median(throughput), '×', { atLeast }, medianInterval(throughput)],
    [id, perCpu, median(processor), '×', null, medianInterval(processor)],
  ])
}

async function cost(
  child: NodeProcess,
  load: Load,
): Promise<{ readonly perSecond: number; readonly cpuMicros: number }> {
  const before = cpuSeconds(child.pid)
  const perSecond = await saturate(load)
  return {
    perSecond,
    cpuMicros: ((cpuSeconds(child.pid) - before) * 1e6) / (perSecond * load.seconds),
  }
}

/** P3: cost of guard, limits, conditional requests and metrics on top of the router and adapter. */
async function ownCost(
  accounts: number,
  { effort, service, hono }: Pick<Pair, 'effort' | 'service'> & { readonly hono: NodeProcess },
): Promise<readonly Finding[]> {
  const path = '/api/v1/health'
  const micros = await eachRound(effort, async (seconds) => {
    const load = { headers: {}, connections: CONNECTIONS, seconds }
    const ours = await cost(service, { ...load, url: service.url + path })
    const theirs = await cost(hono, { ...load, url: hono.url + path })
    return ours.cpuMicros - theirs.cpuMicros
  })
  const what = `guard, headers, ETag and metrics, CPU per request, ${accounts} accounts`
  return findingsOf([['P3', what, median(micros), 'µs', { atMost: 5 }, medianInterval(micros)]])
}

/** P4: latency of the slowest percent at half the rate that the bare server can do. */
async function slowest(
  path: string,
  accounts: number,
  { effort, service, bare }: Pick<Pair, 'effort' | 'service' | 'bare'>,
): Promise<readonly Finding[]> {
  const load = { headers: {}, connections: CONNECTIONS }
  const saturation = await saturate({
    ...load,
    url: bare.url + path,
    seconds: effort.warmUpSeconds,
  })
  const ratio = await eachRound(effort, async (seconds) => {
    const p99 = async ({ url }: NodeProcess) =>
      percentile(await arriveAt(saturation / 2, { ...load, url: url + path, seconds }), 0.99)
    return (await p99(service)) / (await p99(bare))
  })
  const what = `${path} p99 ÷ bare at half its saturation, ${accounts} accounts`
  return findingsOf([['P4', what, median(ratio), '×', { atMost: 2 }, medianInterval(ratio)]])
}
