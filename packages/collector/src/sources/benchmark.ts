import type { BenchmarkSummary } from '@svc/core/service'
import { readPlainFile } from '@svc/secret-files'
import * as v from 'valibot'
import { SourceError, unreadableFile } from '../polling/source-error.ts'
import { documentOf, wireInstant, wireNumber } from '../wire/wire-fields.ts'
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
  const reading = await readPlainFile(path)
  if (reading.kind === 'problem') throw unreadableFile(reading.reason, 'the benchmark summary')
  const document = documentOf(reading.text.replace(/^\ufeff/, ''))
  const parsed = v.safeParse(summarySchema, Array.isArray(document) ? null : document)
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

const PERIOD_SECONDS = 60

/** Creates the source of the summary file of an external benchmark; off if `path` is null. */
export function createBenchmarkSource(
  path: string | null,
  deps: SourceListeners,
): Source<BenchmarkSummary> {
  if (path === null) return offSource('benchmark', 'not_configured')
  const read = () => readBenchmarkSummary(path)
  return createFileSource({ id: 'benchmark', periodSeconds: PERIOD_SECONDS, read }, deps)
}
