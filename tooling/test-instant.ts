import { availableParallelism, loadavg } from 'node:os'
import { type EpochMs, epochMs, parseInstant } from '@svc/core'
import type { Clock } from '@svc/core/service'

/**
 * Start of every whole-system test: a Tuesday noon in UTC, far from any edge of a day, a month or a change of clocks. The environment variable
 * `TEST_INSTANT` moves it, so that the suite can run at any other instant.
 */
export const testInstant: EpochMs = instantOf(process.env.TEST_INSTANT ?? '2026-03-10T12:00:00Z')

/** Time at which this thread's `performance.now` was 0, in milliseconds. */
const originMs = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** Monotonic milliseconds, the same in every process of the machine. */
export function monotonicNowMs(): number {
  return originMs + performance.now()
}

function instantOf(text: string): EpochMs {
  const instant = parseInstant(text)
  if (instant === null)
    throw new Error(
      `TEST_INSTANT: expected an instant such as 2026-03-10T12:00:00Z, not ${JSON.stringify(text)}`,
    )
  return instant
}

export interface ClockPace {
  /** Seconds of the service in one real second; 1 when left out. */
  readonly factor?: number
  /** First time that the clock shows; the instant of all tests if left out. */
  readonly startsAt?: EpochMs
  /** Time of `startsAt` by `monotonicNowMs`; now if left out. Processes with the same pace agree on the time. */
  readonly startedMs?: number
  /** Real milliseconds after which the clock continues at real pace; never if left out. */
  readonly fastMs?: number
}

/** Largest slowdown that is made up for; on a busier machine other limits fail. */
const SLOWDOWN_MAX = 4

/**
 * The factor, reduced if other processes keep the machine busy: on a fast clock every limit of the program is shorter in real time and must still
 * leave enough time for its work.
 */
export function paceOfBusyMachine(factor: number): number {
  const [load = 0] = loadavg()
  return factor / Math.min(Math.max(load / availableParallelism(), 1), SLOWDOWN_MAX)
}

/** Settings of a service on a fast clock, whose proxy answers late only if the machine is busy. */
export const longDeadline = { 'upstream-timeout-seconds': '60' } as const

/** A clock for whole-system tests over real sockets, independent of the machine's wall clock. */
export function acceleratedClock({
  factor = 1,
  startsAt = testInstant,
  startedMs = monotonicNowMs(),
  fastMs = Number.POSITIVE_INFINITY,
}: ClockPace = {}): Clock {
  const elapsedMs = () => {
    const realMs = monotonicNowMs() - startedMs
    return realMs <= fastMs ? realMs * factor : fastMs * factor + (realMs - fastMs)
  }
  return {
    now: () => epochMs(startsAt + elapsedMs()),
    monotonicMs: elapsedMs,
    schedule(delayMs, task) {
      const timer = setTimeout(
        task,
        monotonicNowMs() - startedMs <= fastMs ? delayMs / factor : delayMs,
      )
      return () => clearTimeout(timer)
    },
  }
}

/** Command-line option with the pace of such a clock, for `parseArgs`. */
export const paceOption = { pace: { type: 'string', default: '{}' } } as const

/** The pace given by `paceOption`; a program that is run by hand uses the machine's time. */
export function paceFrom(pace: string): ClockPace {
  const given = JSON.parse(pace) as ClockPace
  return { startsAt: epochMs(Date.now()), startedMs: monotonicNowMs(), ...given }
}

/** Pace as arguments for another process. */
export function paceArguments(
  pace: ClockPace & Required<Pick<ClockPace, 'startsAt' | 'startedMs'>>,
): readonly string[] {
  return ['--pace', JSON.stringify(pace)]
}
