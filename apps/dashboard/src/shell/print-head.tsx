import { calmMs, serverMs, status, zone } from '../state/live-data.ts'
import { route } from '../state/route.ts'
import { viewOf } from '../views/view-table.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'

/** Stands at the top of what is printed: what it is, of when, how old its data is, and in which zone its times are. */
export function PrintHead() {
  const nowMs = serverMs.value
  const sampledAt = status.value?.recommendations.sampledAt ?? null
  const sampledMs = sampledAt === null ? null : Date.parse(sampledAt)
  // Paper is read whenever, so its dates have their year, as those of a time far away.
  const moment = (ms: number) => zone.value.momentText(ms, 0)
  return (
    <p class="print-head">
      <b>{strings.printed(viewOf(route.value.view).title, moment(calmMs.value))}</b>
      {strings.gap}
      {sampledMs === null
        ? strings.noData
        : strings.printedData(
            moment(sampledMs),
            countingDurationText(Math.max(0, (nowMs - sampledMs) / 1000)),
          )}
      {strings.gap}
      {strings.times(status.value?.displayTimezoneLabel ?? '')}
    </p>
  )
}
