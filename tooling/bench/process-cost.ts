import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'

/** Clock ticks of /proc on every Linux there is. */
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

/** The most resident memory a process has had so far, in MB. */
export const peakRssMb = (pid: number): number => statusMb(pid, 'VmHWM')

/** Runs a command to its end. Its output goes into a file, or nowhere; cost is what was last seen of it. */
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
