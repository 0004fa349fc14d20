import type { BenchmarkSummary } from '@svc/core/service'
import type { Zone } from '../../format/format.ts'

/** Result of a benchmark run in one or two sentences. */
export function benchmarkText(
  { generatedAt, speedup, tokenOverheadRatio, weeklyToFiveHourMultiplier }: BenchmarkSummary,
  text: Zone,
): string {
  const findings = [
    speedup === null ? null : `median speed-up ${figure(speedup)}`,
    tokenOverheadRatio === null ? null : `${figure(tokenOverheadRatio)} of the tokens`,
    weeklyToFiveHourMultiplier === null
      ? null
      : `suggests weekly_to_five_hour_multiplier = ${weeklyToFiveHourMultiplier}`,
  ].filter((finding) => finding !== null)
  const run =
    generatedAt === null ? 'A run without a date' : `The run of ${text.dateText(generatedAt)}`
  return `${run}: ${findings.length === 0 ? 'no figures' : findings.join(', ')}.`
}

function figure(ratio: number): string {
  return `${Number(ratio.toPrecision(3))} ×`
}
