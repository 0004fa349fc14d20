import { availableParallelism, loadavg } from 'node:os'
import { type EpochMs, epochMs } from '@svc/core'
import type { Clock } from '@svc/core/service'
import { monotonicNowMs, testInstant } from './test-instant.ts'

export interface ClockPace {
  /** Seconds of the service in one real second; 1 when left out. */
  readonly factor?: number
  /** What the clock shows first; the instant of all tests when left out. */
  readonly startsAt?: EpochMs
  /** When it showed that, by `monotonicNowMs`; now when left out. Two processes that are given the same pace agree. */
  readonly startedMs?: number
  /** Real milliseconds after which it goes on at the real pace; never when left out. */
  readonly fastMs?: number
}

/** A machine that is busier than this fails by other limits. */
const SLOWDOWN_MAX = 4

/**
 * The factor, or less of it where other processes keep the machine busy: on a fast clock every limit of the program is that much
 * shorter in real time, and must still leave its work enough of it.
 */
export function paceOfBusyMachine(factor: number): number {
  const [load = 0] = loadavg()
  return factor / Math.min(Math.max(load / availableParallelism(), 1), SLOWDOWN_MAX)
}

/** Settings of a service on a fast clock whose proxy answers late only where the machine is busy. */
export const longDeadline = { 'upstream-timeout-seconds': '60' } as const

/** A clock for whole-system tests over real sockets, which knows nothing of the machine's wall clock. */
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

/** Option of a program that lives by such a clock, for `parseArgs`. */
export const paceOption = { pace: { type: 'string', default: '{}' } } as const

/** The pace as that option has it; a program that is run by hand lives in the machine's time. */
export function paceFrom(pace: string): ClockPace {
  const given = JSON.parse(pace) as ClockPace
  return { startsAt: epochMs(Date.now()), startedMs: monotonicNowMs(), ...given }
}

/** The same pace as arguments of another process. */
export function paceArguments(
  pace: ClockPace & Required<Pick<ClockPace, 'startsAt' | 'startedMs'>>,
): readonly string[] {
  return ['--pace', JSON.stringify(pace)]
}
