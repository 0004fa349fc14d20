import { pause } from '../eventually.ts'
import type { NodeProcess } from '../service/node-process.ts'
import { atMost, type Effort, type Finding, findingsOf, median, percentile } from './goals.ts'
import { arriveAt } from './load.ts'
import { startMeasuredService, untilSampled } from './measured-service.ts'
import { loopDelayOf, loopWatch } from './process-cost.ts'
import { recordAnswers, startBareServer } from './recorded-answers.ts'

/** Pools with a clock that is faster at first, so that the limit of 600 queries a minute lets every account be read within the bench. */
const POOLS = [
  {
    accounts: 1_000,
    sampling: { factor: 20, seconds: 6 },
    stallMax: null,
    evaluationMsMax: 40,
    firstReadMsMax: 50,
  },
  {
    accounts: 10_000,
    sampling: { factor: 30, seconds: 36 },
    stallMax: 1.5,
    evaluationMsMax: null,
    firstReadMsMax: null,
  },
] as const
/** Long enough for at least one account list and several evaluations. */
const WATCHED_SECONDS_MIN = 16
const SAMPLED_MS_MAX = 10_000
const METRICS_RATE = 40
/** Long enough for an account list and its evaluation. */
const METRICS_SECONDS = 16
const METRICS_WARM_UP_SECONDS = 1
const READ_EVERY_SECONDS = 5
/** Seconds after which an evaluation is too old for a reader. */
const UNREAD_SECONDS = 16
const KB = 1024

/** P15; evaluation, encoding and the longest stall of the event loop in a large pool, compared with the loop of an idle server. */
export async function measureScale({ rounds, seconds }: Effort): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const { accounts, sampling, stallMax, evaluationMsMax, firstReadMsMax } of POOLS) {
    const service = await startMeasuredService(accounts, sampling, { watchLoop: true })
    await pause(sampling.seconds * 1000)
    // A read counts as a reader for a minute, so nobody has read before.
    if (firstReadMsMax !== null) await pause(UNREAD_SECONDS * 1000)
    const firstRead = await firstReadMs(service)
    await untilSampled(service, SAMPLED_MS_MAX)
    // Watched in the same way, on the same processors, at the same time.
    const answers = await recordAnswers(service.url)
    const idle = await startBareServer(answers, '0,1', { nodeArgs: loopWatch })
    const loopDelays = () => Promise.all([service.loopDelay(), loopDelayOf(idle)])
    await loopDelays()
    const evaluationsBefore = service.evaluations().length
    await readFor(service, Math.max(WATCHED_SECONDS_MIN, rounds * seconds))
    const [stall, idleStall] = await loopDelays()
    const evaluations = service.evaluations().slice(evaluationsBefore)
    const evaluateMs = median(evaluations.map((each) => each.evaluateMs))
    const encodeMs = median(evaluations.map((each) => each.encodeMs))
    const pool = `${accounts} accounts`
    const ratio = stall.maxMs / idleStall.maxMs
    const bothMs = evaluateMs + encodeMs
    findings.push(
      ...findingsOf([
        ['scale', `evaluate, ${pool}`, evaluateMs, 'ms'],
        ['scale', `encode and compress, ${pool}`, encodeMs, 'ms'],
        ['scale', `evaluate and encode, ${pool}`, bothMs, 'ms', atMost(evaluationMsMax)],
        ['scale', `first read of all, ${pool}`, firstRead, 'ms', atMost(firstReadMsMax)],
        ['scale', `event loop p99, ${pool}`, stall.p99Ms, 'ms'],
        ['scale', `event loop, longest stall, ${pool}`, stall.maxMs, 'ms'],
        ['scale', `event loop of an idle server, longest stall, ${pool}`, idleStall.maxMs, 'ms'],
        ['scale', `longest stall ÷ an idle server's, ${pool}`, ratio, '×', atMost(stallMax)],
      ]),
    )
    if (accounts === 10_000) {
      // The first scrape after a pause waits for an evaluation.
      await fetch(`${service.url}/metrics`).then((answer) => answer.text())
      service.silenceProxy()
      findings.push(...(await measureMetrics(service.url, idle.url)))
    }
    await idle.stop()
    await service.stop()
  }
  return findings
}

/** Reads like the page, so that the pool is evaluated as often as for a reader. */
async function readFor(service: NodeProcess, seconds: number): Promise<void> {
  for (let read = 0; read < seconds; read += READ_EVERY_SECONDS) {
    await fetch(`${service.url}/api/v1/health`).then((answer) => answer.text())
    await pause(READ_EVERY_SECONDS * 1000)
  }
}

/** Milliseconds of the first read of the whole status, which is evaluated for its reader. */
async function firstReadMs({ url }: NodeProcess): Promise<number> {
  const startedMs = performance.now()
  await fetch(`${url}/api/v1/status`).then((answer) => answer.arrayBuffer())
  return performance.now() - startedMs
}

/** Measures the metrics of the service and of a bare server with the same bytes at the same time, so that both meet the same evaluation. */
async function measureMetrics(url: string, bareUrl: string): Promise<readonly Finding[]> {
  const scrape = (of: string, seconds: number) =>
    arriveAt(METRICS_RATE, { url: `${of}/metrics`, headers: {}, connections: 4, seconds })
  await scrape(url, METRICS_WARM_UP_SECONDS)
  const latencies = await Promise.all([url, bareUrl].map((of) => scrape(of, METRICS_SECONDS)))
  const [ours = Number.NaN, bare = Number.NaN] = latencies.map((each) => percentile(each, 0.99))
  const text = await (await fetch(`${url}/metrics`)).text()
  const what = '/metrics p99, 10000 accounts'
  return findingsOf([
    ['P15', what, ours, 'ms', { atMost: 5 }],
    ['P15', `${what}, bare server`, bare, 'ms'],
    ['P15', '/metrics size, 10000 accounts', Buffer.byteLength(text) / KB, 'KB', { atMost: 64 }],
  ])
}
