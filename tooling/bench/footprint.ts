import { spawnSync } from 'node:child_process'
import { pause } from '../eventually.ts'
import { readText } from '../read-text.ts'
import { type Effort, type Finding, findingsOf, median, medianInterval } from './goals.ts'
import { saturate } from './load.ts'
import { startProgram, startProxy, startSampledService, untilSampled } from './measured-service.ts'
import { cpuSeconds, rssMb } from './process-cost.ts'
import { measuredPaths } from './recorded-answers.ts'

/** Number of accounts that the goals are set for. */
const ACCOUNTS = 200
/** Faster clock at first, so that all accounts are sampled. */
const SAMPLING = { factor: 10, seconds: 6 }
/** Seconds after which the cost of a start is over. */
const SETTLING_SECONDS = 10
const SAMPLED_MS_MAX = 25_000
const SCRAPE_EVERY_SECONDS = 15
const LOAD_ROUNDS = 2

/** P11 and P13: memory when idle and under load, and processor time without readers and with one scraper. */
export async function measureFootprint({
  seconds,
  idleSeconds,
}: Effort): Promise<readonly Finding[]> {
  const service = await startSampledService(ACCOUNTS, SAMPLING, {
    flags: { 'refresh-seconds': '30' },
  })
  // Nothing asks it before, since a read counts as a reader for a minute.
  await pause(SETTLING_SECONDS * 1000)
  let idleMb = 0
  const cpuPerHour = async (onSecond: (second: number) => Promise<unknown> | undefined) => {
    const before = cpuSeconds(service.pid)
    for (let second = 0; second < idleSeconds; second += 1) {
      await Promise.all([pause(1000), onSecond(second)])
      idleMb = Math.max(idleMb, rssMb(service.pid))
    }
    return ((cpuSeconds(service.pid) - before) * 3600) / idleSeconds
  }
  const unreadSeconds = await cpuPerHour(() => undefined)
  const scrapedSeconds = await cpuPerHour((second) =>
    second % SCRAPE_EVERY_SECONDS === 0
      ? fetch(`${service.url}/metrics`).then((answer) => answer.text())
      : undefined,
  )

  // All was sampled long before; asking for it any sooner would have made this bench a reader of payloads.
  await untilSampled(service, SAMPLED_MS_MAX)
  let loadedMb = 0
  for (let round = 0; round < LOAD_ROUNDS; round += 1) {
    for (const path of measuredPaths)
      await saturate({ url: service.url + path, headers: {}, connections: 32, seconds })
    loadedMb = Math.max(loadedMb, rssMb(service.pid))
  }
  await service.stop()
  const scraped = `scraped every ${SCRAPE_EVERY_SECONDS} s`
  const pool = `${ACCOUNTS} accounts`
  const hour = 'processor time of an hour'
  return findingsOf([
    ['P11', `memory idle, most of ${2 * idleSeconds} s, ${pool}`, idleMb, 'MB', { atMost: 90 }],
    ['P11', `memory under load, ${pool}`, loadedMb, 'MB', { atMost: 110 }],
    ['P13', `${hour} without a reader, ${pool}`, unreadSeconds, 's', { atMost: 6 }],
    ['P13', `${hour}, ${scraped}, ${pool}`, scrapedSeconds, 's', { atMost: 15 }],
  ])
}

const POOL_SIZES = [10, 200, 1000]

/** P12: time from the start of the process to the first 200 of `/healthz`, compared with `node -e 0`, for the demo and with a proxy. */
export async function measureStart({ rounds }: Effort): Promise<readonly Finding[]> {
  const findings = [...(await startsOf('demo', rounds, 'demo'))]
  for (const accounts of POOL_SIZES) {
    const proxy = await startProxy(accounts)
    findings.push(...(await startsOf(`${accounts} accounts`, rounds, proxy.url)))
    await proxy.stop()
  }
  return findings
}

/** Starts the built program repeatedly; finds its time and the ratio to `node -e 0`. */
export async function startsOf(
  what: string,
  starts: number,
  upstreamUrl: string,
  flags: Readonly<Record<string, string>> = {},
): Promise<readonly Finding[]> {
  const ours: number[] = []
  const ratios: number[] = []
  for (let count = 0; count < starts; count += 1) {
    const nodeStartedMs = performance.now()
    spawnSync('taskset', ['-c', '0', process.execPath, '-e', '0'])
    const nodeMs = performance.now() - nodeStartedMs
    const service = await startProgram(upstreamUrl, { flags, processors: '0' })
    const listeningMs = performance.now()
    await readText(`${service.url}/healthz`)
    const serviceMs = service.startMs + performance.now() - listeningMs
    await service.stop()
    ours.push(serviceMs)
    ratios.push(serviceMs / nodeMs)
  }
  const start = 'start to first /healthz'
  const ratio = `${start} ÷ node -e 0, ${what}`
  return findingsOf([
    ['P12', ratio, median(ratios), '×', { atMost: 3 }, medianInterval(ratios)],
    ['P12', `${start}, ${what}`, median(ours), 'ms', null, medianInterval(ours)],
  ])
}
