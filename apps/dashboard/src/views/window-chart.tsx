import type { PerWindow } from '@svc/core/service'
import { FlowChart } from '../parts/flow-chart.tsx'
import { status } from '../state/live-data.ts'
import { isPart } from '../state/providers.ts'
import { resetGroups, resetSteps } from '../state/reset-groups.ts'
import { readForecast, usableQuota } from '../state/window-quota.ts'
import { strings } from '../words/strings.ts'

/** Hours that each chart looks back and ahead. */
const SPANS: Readonly<Record<string, readonly [past: number, ahead: number]>> = {
  '5h': [6, 6],
  week: [24, 48],
} satisfies PerWindow<readonly [number, number]>
/** Height in pixels, including the row of times. */
const CHART_HEIGHT = 140

/** Chart of a window's past quota and its forecast; without one, of its coming resets. */
export function WindowChart({ id }: { readonly id: string }) {
  const tabs = status.value?.tabs
  const capacity = tabs?.pool.windows.find((window) => window.id === id)
  const trend = tabs?.trends.windows.find((window) => window.id === id)
  if (capacity === undefined || trend === undefined) return null
  const { knownUnits, trackedUnits, label } = capacity
  const [pastHours, aheadHours] = SPANS[id] ?? [6, 6]
  const forecast = readForecast(id)
  return (
    <FlowChart
      name={strings.windows[id] ?? label}
      past={trend.past.map(({ at, known, afterGap = false }) => ({
        atMs: Date.parse(at),
        units: known,
        isAfterGap: afterGap,
      }))}
      // The past of a part is not recorded.
      pastHours={isPart.value ? 0 : pastHours}
      resets={resetSteps(resetGroups(id), knownUnits, trackedUnits)}
      aheadHours={aheadHours}
      forecast={forecast}
      known={knownUnits}
      usable={usableQuota(capacity).usable}
      height={CHART_HEIGHT}
      dryMs={forecast?.dryMs ?? null}
    />
  )
}
