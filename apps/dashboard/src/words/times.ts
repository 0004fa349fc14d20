/** How the page says times. */
export { countingDurationText, createZone, durationText } from '@svc/views/format'
