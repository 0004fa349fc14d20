import { durationPartsOf, type TimeTexts } from './time-texts.ts'

export { spaced } from './spaced.ts'

/** Times in simplified Chinese: `周日 09:00`, `2027年11月30日 09:00`. */
export const chineseTimes: TimeTexts = {
  weekdays: ['周日', '周一', '周二', '周三', '周四', '周五', '周六'],
  durationText,
  countingDurationText,
  dayAndMonth: (day, month) => `${month}月${day}日`,
  withYear: (date, year) => `${year}年${date}`,
  weekdayAndDay: (weekday, day) => `${day}日${weekday}`,
  // The surrounding sentence already has the preposition.
  atClock: (clock) => clock,
  onDay: (moment) => moment,
}

/** Time left or elapsed, rounded down: `41 分钟`, `3 小时 5 分钟`, `2 天 4 小时`, and `不到 1 分钟` below a minute. */
export function durationText(seconds: number): string {
  const { days, hours, minutes } = durationPartsOf(seconds)
  const larger = days > 0 ? `${days} 天` : hours > 0 ? `${hours} 小时` : ''
  const smaller = days > 0 ? countOf(hours, '小时') : countOf(minutes, '分钟')
  return [larger, smaller].filter((part) => part !== '').join(' ') || '不到 1 分钟'
}

/** Duration text for a running counter: below a minute in seconds, as in `8 秒`. */
export function countingDurationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  return whole < 60 ? `${whole} 秒` : durationText(whole)
}

function countOf(count: number, unit: string): string {
  return count === 0 ? '' : `${count} ${unit}`
}
