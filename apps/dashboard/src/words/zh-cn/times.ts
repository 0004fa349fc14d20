import { createZone as createZoneIn, type Zone } from '@svc/views/format'
import { chineseTimes } from '@svc/views/format/zh-cn'

export { countingDurationText, durationText } from '@svc/views/format/zh-cn'

/** The times of a zone in simplified Chinese. */
export function createZone(displayTimezone: string): Zone {
  return createZoneIn(displayTimezone, chineseTimes)
}
