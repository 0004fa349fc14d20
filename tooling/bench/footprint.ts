import { pause } from '../eventually.ts'
import { type Effort, type Finding, findingsOf } from './goals.ts'
import { saturate } from './load.ts'
import { startMeasuredService, untilSampled } from './measured-service.ts'
import { cpuSeconds, rssMb } from './process-cost.ts'
import { readPaths, recordAnswers, startBareServer } from './recorded-answers.ts'

/** The goals are set for this many. */
const ACCOUNTS = 200
/** A faster clock at first, so that all of it is sampled. */
const SAMPLING = { factor: 10, seconds: 6 }
/** What a start costs is over by then. */
const SETTLING_SECONDS = 10
const SAMPLED_MS_MAX = 25_000
const REFRESH_SECONDS = 30
const SCRAPE_EVERY_SECONDS = 15
const LOAD_ROUNDS = 2

/** P11 and P13: memory idle and under load beside a bare server, and processor time when nobody asks and when one scraper does. */
export async function measureFootprint({
  seconds,
  idleSeconds,
}: Effort): Promise<readonly Finding[]> {
  const service = await startMeasuredService(ACCOUNTS, SAMPLING, {
    refreshSeconds: REFRESH_SECONDS,
  })
  // Nothing asks it before, since a read counts as a reader for a minute.
  await pause((SAMPLING.seconds + SETTLING_SECONDS) * 1000)
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
  const scraped = `scraped every ${SCRAPE_EVERY_SECONDS} s`
  const pool = `${ACCOUNTS} accounts`
  const hour = 'processor time of an hour'
  return findingsOf([
    ['P11', `memory idle, most of ${2 * idleSeconds} s, ${pool}`, idleMb, 'MB', { atMost: 90 }],
    ['P11', `memory idle ÷ bare, ${pool}`, idleMb / bareIdleMb, '×'],
    ['P11', `memory under load, ${pool}`, loadedMb, 'MB', { atMost: 110 }],
    ['P11', `memory under load ÷ bare, ${pool}`, loadedMb / bareMb, '×'],
    ['P13', `${hour} without a reader, ${pool}`, unreadSeconds, 's', { atMost: 6 }],
    ['P13', `${hour}, ${scraped}, ${pool}`, scrapedSeconds, 's', { atMost: 15 }],
  ])
}
