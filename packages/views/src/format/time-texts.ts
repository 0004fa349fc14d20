/** Time texts of one language. Each language has its own module, so that a page loads only the one it shows. */
export interface TimeTexts {
  /** Seven names, starting with Sunday. */
  readonly weekdays: readonly string[]
  /** Time left or elapsed, rounded down to minutes; a text of its own below a minute. */
  durationText(seconds: number): string
  /** Duration text for a running counter, in seconds below a minute. */
  countingDurationText(seconds: number): string
  /** `month` 1 is January. */
  dayAndMonth(day: number, month: number): string
  /** Adds the year to the result of `dayAndMonth`. */
  withYear(date: string, year: string): string
  weekdayAndDay(weekday: string, day: number): string
  /** A clock time for the middle of a sentence. */
  atClock(clock: string): string
  /** A day with its time, for the middle of a sentence. */
  onDay(moment: string): string
}

/** Splits a duration into days, hours below 24 and minutes below 60; negative seconds count as 0. */
export function durationPartsOf(seconds: number) {
  const minutes = Math.floor(Math.max(0, seconds) / 60)
  const hours = Math.floor(minutes / 60)
  return { days: Math.floor(hours / 24), hours: hours % 24, minutes: minutes % 60 }
}
