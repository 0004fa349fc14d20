import { status } from './live-data.ts'

/** When a window runs dry as the monitor expects it: for a chart of its course. Null where that is beyond its forecast. */
export function dryMarkOf(windowId: string) {
  const trend = status.value?.tabs.trends.windows.find(({ id }) => id === windowId)
  if (trend === undefined) return null
  const { runsDryAt, p25, p75, confidence } = trend.runway
  if (runsDryAt === null) return null
  return {
    atMs: Date.parse(runsDryAt),
    fromMs: Date.parse(p25 ?? runsDryAt),
    toMs: p75 === null ? Number.MAX_SAFE_INTEGER : Date.parse(p75),
    isRough: confidence !== 'high',
  }
}
