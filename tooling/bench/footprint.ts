import { pause } from '../eventually.ts'
import { atMost, type Effort, type Finding, findingsOf } from './goals.ts'
import { saturate } from './load.ts'
import { startMeasuredService, untilSampled } from './measured-service.ts'
import { cpuSeconds, rssMb } from './process-cost.ts'
import { readPaths, recordAnswers, startBareServer } from './recorded-answers.ts'

/** What a pool may take: resident memory in MB, and processor time in seconds an hour. */
interface Limits {
  readonly idleMb: number
  readonly loadedMb: number
  readonly unreadSeconds: number
  readonly scrapedSeconds: number
}

/** A faster clock at first; the larger the pool, the longer until all of it is sampled. The goals are set for 200 accounts. */
const POOLS: readonly {
  readonly accounts: number
  readonly samplingSeconds: number
  readonly limits: Limits | null
}[] = [
  {
    accounts: 200,
    samplingSeconds: 6,
    limits: { idleMb: 90, loadedMb: 110, unreadSeconds: 6, scrapedSeconds: 15 },
  },
]
const SAMPLING_FACTOR = 10
/** What a start costs is over by then. */
const SETTLING_SECONDS = 10
const SAMPLED_MS_MAX = 25_000
const REFRESH_SECONDS = 30
const SCRAPE_EVERY_SECONDS = 15
const LOAD_ROUNDS = 2

/** P11 and P13: memory idle and under load beside a bare server, and processor time when nobody asks and when one scraper does. */
export async function measureFootprint(effort: Effort): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const pool of POOLS) findings.push(...(await measurePool(pool, effort)))
  return findings
}

async function measurePool(
  { accounts, samplingSeconds, limits }: (typeof POOLS)[number],
  { seconds, idleSeconds }: Effort,
): Promise<readonly Finding[]> {
  const sampling = { factor: SAMPLING_FACTOR, seconds: samplingSeconds }
  const service = await startMeasuredService(accounts, sampling, {
    refreshSeconds: REFRESH_SECONDS,
  })
  // Nothing asks it before, since a read counts as a reader for a minute.
  await pause((samplingSeconds + SETTLING_SECONDS) * 1000)
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
  const bare = await startBareServer(await recordAnswers(service.url), '0')
  const bareIdleMb = rssMb(bare.pid)
  const peakMb = new Map([
    [service, 0],
    [bare, 0],
  ])
  for (let round = 0; round < LOAD_ROUNDS; round += 1) {
    for (const [child, peak] of peakMb) {
      for (const path of readPaths)
        await saturate({ url: child.url + path, headers: {}, connections: 32, seconds })
      peakMb.set(child, Math.max(peak, rssMb(child.pid)))
    }
  }
  await service.stop()
  await bare.stop()
  const loadedMb = peakMb.get(service) ?? Number.NaN
  const bareMb = peakMb.get(bare) ?? Number.NaN
  const limit = (name: keyof Limits) => atMost(limits?.[name] ?? null)
  const scraped = `scraped every ${SCRAPE_EVERY_SECONDS} s`
  const pool = `${accounts} accounts`
  const hour = 'processor time of an hour'
  return findingsOf([
    ['P11', `memory idle, most of ${2 * idleSeconds} s, ${pool}`, idleMb, 'MB', limit('idleMb')],
    ['P11', `memory idle ÷ bare, ${pool}`, idleMb / bareIdleMb, '×'],
    ['P11', `memory under load, ${pool}`, loadedMb, 'MB', limit('loadedMb')],
    ['P11', `memory under load ÷ bare, ${pool}`, loadedMb / bareMb, '×'],
    ['P13', `${hour} without a reader, ${pool}`, unreadSeconds, 's', limit('unreadSeconds')],
    ['P13', `${hour}, ${scraped}, ${pool}`, scrapedSeconds, 's', limit('scrapedSeconds')],
  ])
}
