import { readFileSync } from 'node:fs'

/** Clock ticks of /proc on every Linux there is. */
const TICKS_PER_SECOND = 100

/** Processor time a process, or one of its threads (`pid/task/thread`), has used so far, user and system, in seconds. */
export function cpuSeconds(task: number | string): number {
  const fields = readFileSync(`/proc/${task}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Resident memory of a process in MB. */
export const rssMb = (pid: number): number => statusMb(pid, 'VmRSS')

/** The most resident memory a process has had so far, in MB. */
export const peakRssMb = (pid: number): number => statusMb(pid, 'VmHWM')

function statusMb(pid: number, field: string): number {
  return (
    Number(
      new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(
        readFileSync(`/proc/${pid}/status`, 'utf8'),
      )?.[1] ?? 0,
    ) / 1024
  )
}
