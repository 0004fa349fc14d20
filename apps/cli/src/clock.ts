import { type Clock, type EpochMs, epochMs, parseInstant } from '@svc/core'

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => epochMs(Date.now()),
  monotonicMs: () => performance.now(),
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs)
    return () => clearTimeout(timer)
  },
}

/**
 * Starts the program at a given instant, from which its clock goes on at the usual pace. For tests, which must see the same at any
 * hour; so it is in no help, and only its exact form is taken: `--start-instant=2026-03-10T12:00:00Z`.
 */
const START_INSTANT_FLAG = '--start-instant='

/** The command line without that flag, and the clock it asks for; an unreadable instant stays, as an unknown option. */
export function takeStartInstant(argv: readonly string[]): {
  readonly argv: readonly string[]
  readonly clock: Clock
  readonly isMachineClock: boolean
} {
  const flag = argv.find((argument) => argument.startsWith(START_INSTANT_FLAG))
  const startsAt = flag === undefined ? null : parseInstant(flag.slice(START_INSTANT_FLAG.length))
  if (startsAt === null) return { argv, clock: systemClock, isMachineClock: true }
  return { argv: argv.filter((argument) => argument !== flag), clock: clockFrom(startsAt), isMachineClock: false }
}

function clockFrom(startsAt: EpochMs): Clock {
  const startedMs = performance.now()
  return { ...systemClock, now: () => epochMs(startsAt + performance.now() - startedMs) }
}
