import { spawnSync } from 'node:child_process'
import { freePort, program } from '../started-program.ts'
import { startChild } from './child.ts'
import type { Effort, Finding } from './goals.ts'
import { pause } from './measured-service.ts'
import { median, medianInterval } from './statistics.ts'

const STARTS_PER_ROUND = 2

/** P12: from the start of the process to the first 200 of `/healthz`, beside `node -e 0`. */
export async function measureStart({ rounds }: Effort): Promise<readonly Finding[]> {
  const ours: number[] = []
  const ratios: number[] = []
  for (let start = 0; start < rounds * STARTS_PER_ROUND; start += 1) {
    const nodeMs = nodeStartMs()
    const serviceMs = await healthzMs()
    ours.push(serviceMs)
    ratios.push(serviceMs / nodeMs)
  }
  return [
    {
      id: 'P12',
      what: 'start to first /healthz ÷ node -e 0',
      measured: median(ratios),
      unit: '×',
      bound: { atMost: 3 },
      interval: medianInterval(ratios),
    },
    { id: 'P12', what: 'start to first /healthz', measured: median(ours), unit: 'ms', bound: null, interval: medianInterval(ours) },
  ]
}

function nodeStartMs(): number {
  const started = performance.now()
  spawnSync('taskset', ['-c', '0', process.execPath, '-e', '0'])
  return performance.now() - started
}

async function healthzMs(): Promise<number> {
  const url = `http://127.0.0.1:${await freePort()}`
  const started = performance.now()
  const starting = startChild([program, '--demo', '--log-level', 'error', '--port', new URL(url).port])
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
