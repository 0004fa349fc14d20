import { type EpochMs, parseInstant } from '@svc/core'

/**
 * When every whole-system test begins: a Tuesday noon in UTC, far from any edge of a day, a month or a change of clocks.
 * The environment variable `TEST_INSTANT` moves it, so that the suite can be run at any other instant on purpose.
 */
export const testInstant: EpochMs = instantOf(process.env.TEST_INSTANT ?? '2026-03-10T12:00:00Z')

/** When this thread's `performance.now` was 0. */
const originMs = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** Milliseconds that no change of the wall clock moves, the same in every process of the machine. */
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
