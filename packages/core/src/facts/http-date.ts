import { type EpochMs, parseInstant } from './time.ts'

const IMF_FIXDATE = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Reads the one date form that HTTP still writes, as in `Fri, 20 Nov 2026 23:53:37 GMT`; null for anything else. Source: RFC 9110 5.6.7. */
export function parseHttpDate(text: string | null): EpochMs | null {
  const [, day, monthName = '', year, time] = IMF_FIXDATE.exec(text ?? '') ?? []
  const month = MONTHS.indexOf(monthName) + 1
  return month === 0
    ? null
    : parseInstant(`${year}-${String(month).padStart(2, '0')}-${day}T${time}Z`)
}
