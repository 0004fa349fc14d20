import type { BenchmarkSummary } from '@svc/core/service'
import type { Zone } from '../../format/format.ts'
import { spaced } from './spaced.ts'

export function benchmarkText(
  { generatedAt, speedup, tokenOverheadRatio, weeklyToFiveHourMultiplier }: BenchmarkSummary,
  text: Zone,
): string {
  const findings = [
    speedup === null ? null : `加速中位数 ${figure(speedup)}`,
    tokenOverheadRatio === null ? null : `Token 用量为 ${figure(tokenOverheadRatio)}`,
    weeklyToFiveHourMultiplier === null
      ? null
      : `建议 weekly_to_five_hour_multiplier = ${weeklyToFiveHourMultiplier}`,
  ].filter((finding) => finding !== null)
  const run =
    generatedAt === null ? '一次没有日期的测试' : spaced`${text.dateText(generatedAt)} 的测试`
  return `${run}：${findings.length === 0 ? '没有数据' : findings.join('，')}。`
}

function figure(ratio: number): string {
  return `${Number(ratio.toPrecision(3))} ×`
}
