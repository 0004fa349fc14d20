import { status } from './live-data.ts'

/** Expected dry time of a window for its chart; null if it lies beyond the forecast, or is too uncertain for a clock time. */
export function dryMarkOf(windowId: string) {
  const trend = status.value?.tabs.trends.windows.find(({ id }) => id === windowId)
  if (trend === undefined) return null
  const { runsDryAt, p25, p75, confidence } = trend.runway
  if (runsDryAt === null || confidence !== 'high') return null
  return {
    atMs: Date.parse(runsDryAt),
    fromMs: Date.parse(p25 ?? runsDryAt),
    toMs: p75 === null ? Number.MAX_SAFE_INTEGER : Date.parse(p75),
  }
}
