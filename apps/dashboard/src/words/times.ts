/** Texts of times and durations. `shortDurationText` is for columns, which have little room. */
export {
  countingDurationText,
  countingDurationText as shortDurationText,
  createZone,
  durationText,
} from '@svc/views/format'
