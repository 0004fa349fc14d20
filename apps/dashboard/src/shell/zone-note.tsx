import { Icon } from '../parts/icon.tsx'
import { dismissedZones } from '../state/display-state.ts'
import { calmMs, status, zone } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'
import { createZone, durationText } from '../words/times.ts'

/** Says whose clock the times are of, once, where it is another than this browser's; the service has one zone for all who read it. */
export function ZoneNote() {
  const { displayTimezone = null, displayTimezoneLabel = '' } = status.value ?? {}
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (displayTimezone === null) return null
  const now = calmMs.value
  const aheadMs = createZone(here).offsetMs(now) - zone.value.offsetMs(now)
  const zones = `${displayTimezone} ${here}`
  // Zones of another name may have the same clock.
  if (aheadMs === 0 || dismissedZones.value === zones) return null
  return (
    <div class="banner zones" role="status">
      <Icon name="clock" />
      <p>
        {strings.otherZone(
          displayTimezoneLabel,
          durationText(Math.abs(aheadMs) / 1000),
          aheadMs > 0,
        )}{' '}
        <code>{`display_timezone = "${here}"`}</code>
      </p>
      <button
        type="button"
        class="button"
        onClick={() => {
          dismissedZones.value = zones
        }}
      >
        {strings.dismiss}
      </button>
    </div>
  )
}
