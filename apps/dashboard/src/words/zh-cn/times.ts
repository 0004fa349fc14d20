import { createZone as createZoneIn, type Zone } from '@svc/views/format'
import { chineseTimes, countingDurationText } from '@svc/views/format/zh-cn'

export { countingDurationText, durationText } from '@svc/views/format/zh-cn'

/** The times of a zone in simplified Chinese. */
export function createZone(displayTimezone: string): Zone {
  return createZoneIn(displayTimezone, chineseTimes)
}

/** For columns, as `8秒`, `3小时45分`, `2天4小时`. */
export function shortDurationText(seconds: number): string {
  return countingDurationText(seconds).replaceAll(' ', '').replace('分钟', '分')
}
