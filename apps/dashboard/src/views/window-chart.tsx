import type { PerWindow } from '@svc/core/service'
import { FlowChart } from '../parts/flow-chart.tsx'
import { isPart, windowTitle } from '../state/providers.ts'
import { gainSteps } from '../state/reset-groups.ts'
import { findCapacity, findTrend, readForecast, usableQuota } from '../state/window-quota.ts'

/** Hours that each chart looks back and ahead. */
const SPANS: Readonly<Record<string, readonly [past: number, ahead: number]>> = {
  '5h': [6, 6],
  week: [24, 48],
} satisfies PerWindow<readonly [number, number]>
/** Height in pixels, including the row of times. */
const CHART_HEIGHT = 140

/** Chart of a window's past quota and its forecast; without one, of its coming resets. */
export function WindowChart({ id }: { readonly id: string }) {
  const capacity = findCapacity(id)
  const trend = findTrend(id)
  if (capacity === undefined || trend === undefined) return null
  const { usable, held } = usableQuota(capacity)
  const [pastHours, aheadHours] = SPANS[id] ?? [6, 6]
  const forecast = readForecast(id)
  return (
    <FlowChart
      name={windowTitle(capacity)}
      past={trend.past.map(({ at, known, usable, afterGap = false }) => ({
        atMs: Date.parse(at),
        units: usable ?? known,
        held: usable === undefined ? undefined : known - usable,
        isAfterGap: afterGap,
      }))}
      // The past of a part is not recorded.
      pastHours={isPart.value ? 0 : pastHours}
      resets={gainSteps(id)}
      aheadHours={aheadHours}
      forecast={forecast}
      usable={usable}
      held={held}
      height={CHART_HEIGHT}
      dryMs={forecast?.dryMs ?? null}
    />
  )
}
