/** Time texts of one language. Each language has its own module, so that a page loads only the one it shows. */
export interface TimeTexts {
  /** From Sunday on. */
  readonly weekdays: readonly string[]
  /** Time left or gone in seconds, rounded down to minutes; below a minute it says that it is less. */
  durationText(seconds: number): string
  /** Duration text that counts along: seconds below a minute. */
  countingDurationText(seconds: number): string
  /** `month` 1 is January. */
  dayAndMonth(day: number, month: number): string
  /** The year of a text of `dayAndMonth`. */
  withYear(date: string, year: string): string
  weekdayAndDay(weekday: string, day: number): string
  /** A clock time inside a sentence. */
  atClock(clock: string): string
  /** A day with its time inside a sentence. */
  onDay(moment: string): string
}

/** A duration in the units people count it in, rounded down. */
export interface DurationParts {
  readonly days: number
  /** Below 24. */
  readonly hours: number
  /** Below 60. */
  readonly minutes: number
}

/** Seconds below 0 count as none. */
export function durationPartsOf(seconds: number): DurationParts {
  const minutes = Math.floor(Math.max(0, seconds) / 60)
  const hours = Math.floor(minutes / 60)
  return { days: Math.floor(hours / 24), hours: hours % 24, minutes: minutes % 60 }
}
