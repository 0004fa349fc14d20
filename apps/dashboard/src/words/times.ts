export {
  countingDurationText,
  countingDurationText as shortDurationText,
  createZone,
  durationText,
} from '@svc/views/format'
export { unitNames, unitNoun } from '@svc/views/unit-names'

/** Texts of times and durations. `shortDurationText` is for columns, which have little room. */
