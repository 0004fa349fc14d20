import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pause } from '../eventually.ts'
import { freePort } from '../service/built-program.ts'
import { startNode } from '../service/node-process.ts'
import { startService } from '../service/start-service.ts'
import { top } from '../top.ts'
import { type Effort, type Finding, findingsOf, median, medianInterval } from './goals.ts'
import { saturate } from './load.ts'
import { startMeasuredService, untilSampled } from './measured-service.ts'
import { cpuSeconds, rssMb } from './process-cost.ts'
import { readPaths, recordAnswers, startBareServer } from './recorded-answers.ts'

/** Number of accounts that the goals are set for. */
const ACCOUNTS = 200
/** Faster clock at first, so that all accounts are sampled. */
const SAMPLING = { factor: 10, seconds: 6 }
/** Seconds after which the cost of a start is over. */
const SETTLING_SECONDS = 10
const SAMPLED_MS_MAX = 25_000
const REFRESH_SECONDS = 30
const SCRAPE_EVERY_SECONDS = 15
const LOAD_ROUNDS = 2

/** P11 and P13: memory when idle and under load, compared with a bare server, and processor time without readers and with one scraper. */
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

const POOL_SIZES = [10, 200, 1000]
const KEY = 'bench-management-key'

/** P12: time from the start of the process to the first 200 of `/healthz`, compared with `node -e 0`, for the demo and with a proxy. */
export async function measureStart({ rounds }: Effort): Promise<readonly Finding[]> {
  const findings = [...(await startsOf('demo', ['--demo'], rounds))]
  for (const accounts of POOL_SIZES) {
    const fakeFlags = ['--port', '0', '--accounts', String(accounts), '--key', KEY]
    const fake = await startNode([join(top, 'tooling/dist/fake-upstream.js'), ...fakeFlags], {
      processors: '1',
    })
    findings.push(
      ...(await startsOf(
        `${accounts} accounts`,
        ['--config', 'off', '--upstream-url', fake.url],
        rounds,
      )),
    )
    await fake.stop()
  }
  return findings
}

/** Starts the built program repeatedly with these flags; finds its time and the ratio to `node -e 0`. */
export async function startsOf(
  what: string,
  flags: readonly string[],
  starts: number,
): Promise<readonly Finding[]> {
  const ours: number[] = []
  const ratios: number[] = []
  for (let count = 0; count < starts; count += 1) {
    const nodeMs = nodeStartMs()
    const serviceMs = await healthzMs(flags)
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

function nodeStartMs(): number {
  const started = performance.now()
  spawnSync('taskset', ['-c', '0', process.execPath, '-e', '0'])
  return performance.now() - started
}

async function healthzMs(flags: readonly string[]): Promise<number> {
  const url = `http://127.0.0.1:${await freePort()}`
  const started = performance.now()
  const starting = startService({
    where: 'program',
    time: 'real',
    args: flags,
    flags: { 'log-level': 'error', port: new URL(url).port },
    key: KEY,
    processors: '0',
  })
  while (!(await answers(`${url}/healthz`))) await pause(1)
  const elapsedMs = performance.now() - started
  await (await starting).stop()
  return elapsedMs
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}
