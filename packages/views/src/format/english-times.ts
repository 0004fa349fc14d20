import { durationPartsOf, type TimeTexts } from './time-texts.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Times in English: `Sun 09:00`, `30 Nov 2027 09:00`. */
export const englishTimes: TimeTexts = {
  weekdays: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'],
  durationText,
  countingDurationText,
  dayAndMonth: (day, month) => `${day} ${MONTHS[month - 1] ?? ''}`,
  withYear: (date, year) => `${date} ${year}`,
  weekdayAndDay: (weekday, day) => `${weekday} ${day}`,
  atClock: (clock) => `at ${clock}`,
  onDay: (moment) => `on ${moment}`,
}

/** Time left or elapsed, rounded down: `41min`, `3h 05min`, `2d 4h`, and `<1min` below a minute. */
export function durationText(seconds: number): string {
  const { days, hours, minutes } = durationPartsOf(seconds)
  if (days > 0) return `${days}d ${hours}h`
  if (hours > 0) return `${hours}h ${String(minutes).padStart(2, '0')}min`
  return minutes < 1 ? '<1min' : `${minutes}min`
}

/** Duration text for a running counter: below a minute in seconds, as in `8 s`. */
export function countingDurationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  return whole < 60 ? `${whole} s` : durationText(whole)
}
