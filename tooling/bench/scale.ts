import { evaluationCost } from './evaluation.ts'
import type { Effort, Finding } from './goals.ts'
import { arriveAt } from './load.ts'
import { pause, startMeasuredService, untilSampled } from './measured-service.ts'
import { percentile } from './statistics.ts'

/** A faster clock at first, so that the ceiling of 600 queries a minute lets every account be read within the bench. */
const POOLS = [
  { accounts: 1_000, sampling: { factor: 10, seconds: 12 }, stallMsMax: 30, evaluationMsMax: 40 },
  { accounts: 10_000, sampling: { factor: 30, seconds: 40 }, stallMsMax: 100, evaluationMsMax: null },
] as const
/** At least one account list and several evaluations. */
const WATCHED_SECONDS_MIN = 20
const SAMPLED_MS_MAX = 10_000
const METRICS_RATE = 40
/** Over two account lists and their evaluations. */
const METRICS_SECONDS = 30
const KB = 1024

/** Evaluation, encoding and the longest stall of the event loop in a large pool; P15. */
export async function measureScale({ rounds, seconds }: Effort): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const { accounts, sampling, stallMsMax, evaluationMsMax } of POOLS) {
    const service = await startMeasuredService(accounts, sampling, { watchLoop: true })
    await pause(sampling.seconds * 1000)
    await untilSampled(service, SAMPLED_MS_MAX)
    await service.loopDelay()
    await pause(Math.max(WATCHED_SECONDS_MIN, rounds * seconds) * 1000)
    const stall = await service.loopDelay()
    const { first, warm } = await evaluationCost(accounts)
    const pool = `${accounts} accounts`
    const inMs = (what: string, measured: number, bound: Finding['bound'] = null): Finding => ({
      id: 'scale',
      what: `${what}, ${pool}`,
      measured,
      unit: 'ms',
      bound,
    })
    findings.push(
      inMs('evaluate', warm.evaluateMs),
      inMs('encode and compress', warm.encodeMs),
      inMs('evaluate and encode', warm.evaluateMs + warm.encodeMs, evaluationMsMax === null ? null : { atMost: evaluationMsMax }),
      inMs('evaluate and encode, the first time', first.evaluateMs + first.encodeMs),
      inMs('event loop p99', stall.p99Ms),
      inMs('event loop, longest stall', stall.maxMs, { atMost: stallMsMax }),
    )
    if (accounts === 10_000) {
      service.silenceProxy()
      findings.push(...(await measureMetrics(service.url)))
    }
    await service.stop()
  }
  return findings
}

async function measureMetrics(url: string): Promise<readonly Finding[]> {
  const latencies = await arriveAt(METRICS_RATE, { url: `${url}/metrics`, headers: {}, connections: 4, seconds: METRICS_SECONDS })
  const text = await (await fetch(`${url}/metrics`)).text()
  return [
    { id: 'P15', what: '/metrics p99, 10000 accounts', measured: percentile(latencies, 0.99), unit: 'ms', bound: { atMost: 5 } },
    { id: 'P15', what: '/metrics size, 10000 accounts', measured: Buffer.byteLength(text) / KB, unit: 'KB', bound: { atMost: 64 } },
  ]
}
