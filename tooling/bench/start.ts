import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pause } from '../eventually.ts'
import { freePort } from '../service/built-program.ts'
import { startNode } from '../service/node-process.ts'
import { startService } from '../service/start-service.ts'
import { top } from '../top.ts'
import { type Effort, type Finding, findingsOf } from './goals.ts'
import { median, medianInterval } from './statistics.ts'

const POOL_SIZES = [10, 200, 1000]
const KEY = 'bench-management-key'

/** P12: from the start of the process to the first 200 of `/healthz`, beside `node -e 0`; the demo, and in front of a proxy. */
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

/** Ratio to `node -e 0` and time of so many starts of the built program with these flags. */
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
