import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pause } from '../eventually.ts'
import type { NodeProcess } from '../service/node-process.ts'
import { top } from '../top.ts'

/** Clock ticks of /proc, the same on every Linux. */
const TICKS_PER_SECOND = 100
const LOOK_EVERY_MS = 50

/** Processor time a process has used so far, user and system, in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Resident memory of a process in MB. */
export const rssMb = (pid: number): number => statusMb(pid, 'VmRSS')

/** Peak resident memory of a process so far, in MB. */
export const peakRssMb = (pid: number): number => statusMb(pid, 'VmHWM')

/** Runs a command to its end, with its output in a file or nowhere; its cost is as last sampled. */
export async function costOf([program = '', ...args]: readonly string[], file = '/dev/null') {
  const output = openSync(file, 'w')
  const startedMs = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', output, 'inherit'] })
  const cost = { cpuSeconds: 0, mb: 0 }
  const watch = setInterval(() => {
    try {
      cost.cpuSeconds = cpuSeconds(child.pid ?? 0)
      cost.mb = Math.max(cost.mb, peakRssMb(child.pid ?? 0))
    } catch {
      // It has just ended.
    }
  }, LOOK_EVERY_MS)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearInterval(watch)
  closeSync(output)
  return { ...cost, code, seconds: (performance.now() - startedMs) / 1000 }
}

function statusMb(pid: number, field: string): number {
  return (
    Number(
      new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(
        readFileSync(`/proc/${pid}/status`, 'utf8'),
      )?.[1] ?? 0,
    ) / 1024
  )
}

/** Node arguments that make a program watch its own event loop. */
export const loopWatch = ['--import', join(top, 'tooling/dist/bench/loop-delay.js')]

/** Lines of its error output that are JSON objects. */
export function jsonLinesOf(
  child: Pick<NodeProcess, 'stderr'>,
): readonly Record<string, unknown>[] {
  return child
    .stderr()
    .split('\n')
    .flatMap((line) =>
      line.startsWith('{') && line.endsWith('}')
        ? [JSON.parse(line) as Record<string, unknown>]
        : [],
    )
}

/** Delay of a watched program's event loop since the last call. */
export async function loopDelayOf(
  child: NodeProcess,
): Promise<{ readonly p99Ms: number; readonly maxMs: number }> {
  const delays = () =>
    jsonLinesOf(child).flatMap((line) =>
      line.loopDelay === undefined ? [] : [line.loopDelay as { p99Ms: number; maxMs: number }],
    )
  const before = delays().length
  process.kill(child.pid, 'SIGWINCH')
  while (delays().length === before) await pause(5)
  return delays().at(-1) ?? { p99Ms: Number.NaN, maxMs: Number.NaN }
}
