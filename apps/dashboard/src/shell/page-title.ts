import { unitsText, wholeUnitsText } from '@svc/views/format'
import { health, status } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'

/** Title of the browser's tab: what is left of the 5h quota, and how much there is to do. */
export function pageTitle(): string {
  const fiveHour = status.value?.summary.fiveHour
  const parts =
    fiveHour === undefined || fiveHour.trackedUnits === 0
      ? []
      : [
          `${unitsText(fiveHour.knownUnits)} ${strings.ofTracked(wholeUnitsText(fiveHour.trackedUnits))}`,
        ]
  if ((health.value?.actionCount ?? 0) > 0) parts.push(health.value?.pill ?? '')
  return parts.length === 0 ? strings.product : `${parts.join(', ')} · ${strings.product}`
}
