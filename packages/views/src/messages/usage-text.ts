import type { UsageMeasures, UsageRangeId } from '@svc/core/usage'
import { compactText, countText, tenthsOf } from '../format/format.ts'
import type { Catalogue } from './en/catalogue.ts'

/** Texts of total usage of a bucket or range: `1,204 req`, `12.4M tok`, `2.1 %`. */
export function totalTexts(measures: UsageMeasures, { usage }: Catalogue) {
  return {
    requestText: usage.requests(countText(measures.requests)),
    tokenText: usage.tokens(compactText(measures.tokens)),
    failureRateText: failureRateText(measures),
  }
}

/** Texts of usage per minute: `3.2/min`. `minutes` is 0 if no time has passed. */
export function rateTexts(measures: UsageMeasures, minutes: number, { usage }: Catalogue) {
  return {
    requestText: usage.perMinute(rateText(perMinute(measures.requests, minutes))),
    tokenText: usage.perMinute(rateText(perMinute(measures.tokens, minutes))),
    failureRateText: failureRateText(measures),
  }
}

export function perMinute(count: number, minutes: number): number {
  return minutes > 0 ? count / minutes : 0
}

/** Share of failed requests, with one decimal; a dash without requests. */
export function failureRateText({ requests, failed }: UsageMeasures): string {
  return requests === 0 ? '–' : `${((100 * failed) / requests).toFixed(1)}%`
}

/** Usage in a phrase: `1,204 req · 12.4M tok in the last 24 h`. */
export function usageLine(
  measures: UsageMeasures,
  range: UsageRangeId | 'custom',
  words: Catalogue,
): string {
  const { requestText, tokenText } = totalTexts(measures, words)
  return words.usage.line({ requests: requestText, tokens: tokenText, range })
}

export const noUsage: UsageMeasures = { requests: 0, tokens: 0, failed: 0 }

function rateText(rate: number): string {
  return tenthsOf(rate, 1) >= 10_000 ? compactText(rate) : (tenthsOf(rate, 1) / 10).toFixed(1)
}
