import { type EpochMs, epochMs, parseInstant } from '@svc/core'
import type { Clock } from '@svc/core/service'

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => epochMs(Date.now()),
  monotonicMs: () => performance.now(),
  schedule(delayMs, task) {
    // Node 24 warns about negative delays.
    const timer = setTimeout(task, Math.max(0, delayMs))
    return () => clearTimeout(timer)
  },
}

/** The instant at which a test starts the clock, and the process time of that start, which all threads share. */
export interface StartInstant {
  readonly at: EpochMs
  readonly atNs: bigint
}

/**
 * Flag that starts the program's clock at a given instant, from which it runs at the usual pace. It exists for tests, whose result must not depend on
 * the hour; it is therefore missing from the help, and only this exact form is accepted: `--start-instant=2026-03-10T12:00:00Z`.
 */
const START_INSTANT_FLAG = '--start-instant='

/** Separates the start instant from the command line. An unreadable instant stays in `argv` and is reported as an unknown option. */
export function takeStartInstant(argv: readonly string[]): {
  readonly argv: readonly string[]
  readonly startInstant: StartInstant | null
} {
  const flag = argv.find((argument) => argument.startsWith(START_INSTANT_FLAG))
  const at = flag === undefined ? null : parseInstant(flag.slice(START_INSTANT_FLAG.length))
  if (at === null) return { argv, startInstant: null }
  return {
    argv: argv.filter((argument) => argument !== flag),
    startInstant: { at, atNs: process.hrtime.bigint() },
  }
}

/** The machine's clock, or the clock set by a test. */
export function clockOf(startInstant: StartInstant | null): Clock {
  if (startInstant === null) return systemClock
  const { at, atNs } = startInstant
  return { ...systemClock, now: () => epochMs(at + Number(process.hrtime.bigint() - atNs) / 1e6) }
}
