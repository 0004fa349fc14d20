import type { BenchmarkSummary } from '@svc/core/service'
import * as v from 'valibot'
import { RefusedFile, readPlainFile } from '../files/local-files.ts'
import { SourceError } from '../polling/source-error.ts'
import { wireInstant, wireNumber } from '../wire/wire-fields.ts'
import { createFileSource, offSource, type Source, type SourceListeners } from './source.ts'

const nothing = v.fallback(v.record(v.string(), v.unknown()), {})
const summarySchema = v.object({
  generatedAt: wireInstant,
  performance: v.optional(
    v.pipe(
      nothing,
      v.object({
        comparison: v.optional(
          v.pipe(nothing, v.object({ speedup_p50: wireNumber, token_overhead_ratio: wireNumber })),
          {},
        ),
      }),
    ),
    {},
  ),
  quota: v.optional(
    v.pipe(
      nothing,
      v.object({
        weeklyToFiveHour: v.optional(
          v.pipe(nothing, v.object({ recommended_dashboard_multiplier: wireNumber })),
          {},
        ),
      }),
    ),
    {},
  ),
})

/** Reads the summary file of an external benchmark run. Throws SourceError: file_unreadable, too_large, bad_payload. */
export async function readBenchmarkSummary(path: string): Promise<BenchmarkSummary> {
  const text = await readPlainFile(path).catch((error: unknown) => {
    const tooLarge = error instanceof RefusedFile && error.reason === 'too_large'
    throw new SourceError(
      tooLarge ? 'too_large' : 'file_unreadable',
      `the benchmark summary cannot be read${tooLarge ? ': too large' : ''}`,
    )
  })
  const parsed = v.safeParse(summarySchema, documentOf(text))
  if (!parsed.success)
    throw new SourceError('bad_payload', 'the benchmark summary is no JSON object')
  const { generatedAt, performance, quota } = parsed.output
  return {
    generatedAt,
    speedup: performance.comparison.speedup_p50,
    tokenOverheadRatio: performance.comparison.token_overhead_ratio,
    weeklyToFiveHourMultiplier: quota.weeklyToFiveHour.recommended_dashboard_multiplier,
  }
}

/** Null unless it is a JSON object. */
function documentOf(text: string): unknown {
  try {
    const document: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    return Array.isArray(document) ? null : document
  } catch {
    return null
  }
}

const PERIOD_SECONDS = 60

/** The summary file of an external benchmark; `path` null for none. */
export function createBenchmarkSource(
  path: string | null,
  deps: SourceListeners,
): Source<BenchmarkSummary> {
  if (path === null) return offSource('benchmark', 'not_configured')
  const read = () => readBenchmarkSummary(path)
  return createFileSource({ id: 'benchmark', periodSeconds: PERIOD_SECONDS, read }, deps)
}
