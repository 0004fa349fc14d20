import type { UsageMeasures, UsageRangeId } from '@svc/core/usage'
import { compactText, countText, tenthsOf } from '../format/format.ts'

/** Texts of usage, of whole buckets or by the minute. */
export interface UsageTexts {
  readonly requestText: string
  readonly tokenText: string
  readonly failureRateText: string
}

/** Texts of what a whole bucket or range used: `1,204 req`, `12.4M tok`, `2.1 %`. */
export function totalTexts(measures: UsageMeasures): UsageTexts {
  return {
    requestText: `${countText(measures.requests)} req`,
    tokenText: `${compactText(measures.tokens)} tok`,
    failureRateText: failureRateText(measures),
  }
}

/** Texts of the same by the minute: `3.2/min`. `minutes` 0 means that no time has passed. */
export function rateTexts(measures: UsageMeasures, minutes: number): UsageTexts {
  return {
    requestText: `${rateText(perMinute(measures.requests, minutes))}/min`,
    tokenText: `${rateText(perMinute(measures.tokens, minutes))}/min`,
    failureRateText: failureRateText(measures),
  }
}

export function perMinute(count: number, minutes: number): number {
  return minutes > 0 ? count / minutes : 0
}

/** Share of the requests that failed, with one decimal; a dash when there were none. */
export function failureRateText({ requests, failed }: UsageMeasures): string {
  return requests === 0 ? '–' : `${((100 * failed) / requests).toFixed(1)}%`
}

/** Usage in a phrase: `1,204 req · 12.4M tok in the last 24 h`. */
export function usageLine(measures: UsageMeasures, range: UsageRangeId): string {
  const { requestText, tokenText } = totalTexts(measures)
  return `${requestText} · ${tokenText} in ${range === 'all' ? 'all' : `the ${RANGE_LABELS[range].toLowerCase()}`}`
}

export const noUsage: UsageMeasures = { requests: 0, tokens: 0, failed: 0 }

/** What a range is called on a control. */
export const RANGE_LABELS: Readonly<Record<UsageRangeId, string>> = {
  '1h': 'Last hour',
  '6h': 'Last 6 h',
  '24h': 'Last 24 h',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  all: 'Everything',
}

function rateText(rate: number): string {
  return tenthsOf(rate, 1) >= 10_000 ? compactText(rate) : (tenthsOf(rate, 1) / 10).toFixed(1)
}
