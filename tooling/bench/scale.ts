import { pause } from '../eventually.ts'
import type { NodeProcess } from '../service/node-process.ts'
import { atMost, type Effort, type Finding, findingsOf, median, percentile } from './goals.ts'
import { arriveAt } from './load.ts'
import { startSampledService, untilSampled } from './measured-service.ts'
import { jsonLinesOf } from './process-cost.ts'
import { recordAnswers, startBareServer } from './recorded-answers.ts'

/** Pools with a clock that is faster at first, so that the limit of 600 queries a minute lets every account be read within the bench. */
const POOLS = [
  { accounts: 1_000, sampling: { factor: 20, seconds: 6 }, evaluationMsMax: 40 },
  { accounts: 10_000, sampling: { factor: 30, seconds: 36 }, evaluationMsMax: null },
] as const
/** An evaluation compresses in threads of its own, which take no processor from the rest. */
const PROCESSORS = '0,1'
/** Long enough for at least one account list and several evaluations. */
const WATCHED_SECONDS_MIN = 16
const SAMPLED_MS_MAX = 10_000
const METRICS_RATE = 40
/** Long enough for an account list and its evaluation. */
const METRICS_SECONDS = 16
const METRICS_WARM_UP_SECONDS = 1
const READ_EVERY_SECONDS = 5
const KB = 1024

/** P15; evaluation and encoding of a large pool. */
export async function measureScale({ rounds, seconds }: Effort): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const { accounts, sampling, evaluationMsMax } of POOLS) {
    const service = await startSampledService(accounts, sampling, { processors: PROCESSORS })
    await untilSampled(service, SAMPLED_MS_MAX)
    const evaluations = () =>
      jsonLinesOf(service).filter(({ event, accounts: of }) => event === 'evaluated' && of !== 0)
    const before = evaluations().length
    await readFor(service, Math.max(WATCHED_SECONDS_MIN, rounds * seconds))
    const watched = evaluations().slice(before)
    const evaluateMs = median(watched.map((line) => Number(line.evaluateMs)))
    const encodeMs = median(watched.map((line) => Number(line.encodeMs)))
    const both = `evaluate and encode, ${accounts} accounts`
    findings.push(
      ...findingsOf([
        ['scale', `evaluate, ${accounts} accounts`, evaluateMs, 'ms'],
        ['scale', `encode and compress, ${accounts} accounts`, encodeMs, 'ms'],
        ['scale', both, evaluateMs + encodeMs, 'ms', atMost(evaluationMsMax)],
      ]),
    )
    if (accounts === 10_000) {
      const bare = await startBareServer(await recordAnswers(service.url), PROCESSORS)
      // A silent proxy takes no processor time from the measurement.
      process.kill(service.proxy.pid, 'SIGSTOP')
      findings.push(...(await measureMetrics(service.url, bare.url)))
      await bare.stop()
    }
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
