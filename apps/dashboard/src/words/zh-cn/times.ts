export { countingDurationText, durationText } from '@svc/views/format/zh-cn'
export { unitNames, unitNoun } from '@svc/views/unit-names/zh-cn'

import { createZone as createZoneIn, type Zone } from '@svc/views/format'
import { chineseTimes, countingDurationText } from '@svc/views/format/zh-cn'

/** The times of a zone, in simplified Chinese. */
export function createZone(displayTimezone: string): Zone {
  return createZoneIn(displayTimezone, chineseTimes)
}

/** Duration for columns, as in `8 秒`, `3 小时 45 分`, `2 天 4 小时`. */
export function shortDurationText(seconds: number): string {
  return countingDurationText(seconds).replace('分钟', '分')
}
