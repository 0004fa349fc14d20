import { createLiveSource } from '@svc/collector'
import { createFakeUpstream, fetchOf, livePool, liveSourceOptions } from '@svc/collector/testing'
import { defaultPolicy, evaluateSnapshot, noTrends, plusMs, type Snapshot } from '@svc/core'
import { NOW, silentLog, virtualClock } from '@svc/core/testing'
import { encodeSnapshot } from '@svc/server'
import { createWireText } from '@svc/views'
import { settle } from '../settled.ts'
import { median } from './statistics.ts'

const KEY = 'bench-management-key'
const WARM_UPS = 10
const ROUNDS = 31
/** From one evaluation to the next. */
const STEP_MS = 15_000
const QUERIES_PER_MINUTE = 600

/** Milliseconds of evaluating and of encoding a pool that was sampled whole, again and again as time passes: the first time and the median of the warm ones. */
export interface EvaluationCost {
  readonly first: { readonly evaluateMs: number; readonly encodeMs: number }
  readonly warm: { readonly evaluateMs: number; readonly encodeMs: number }
}

export async function evaluationCost(accounts: number): Promise<EvaluationCost> {
  const observation = await observed(accounts)
  const text = createWireText('UTC')
  const costs: { evaluateMs: number; encodeMs: number }[] = []
  let previous: Snapshot | null = null
  for (let round = 0; round < WARM_UPS + ROUNDS; round += 1) {
    const startedMs = performance.now()
    previous = evaluateSnapshot(observation, defaultPolicy, plusMs(NOW, round * STEP_MS), { previous, recordedChanges: [] })
    const evaluatedMs = performance.now()
    await encodeSnapshot(previous, { text, usage: { kind: 'off' }, trends: noTrends, refresh: { status: 'idle' } })
    costs.push({ evaluateMs: evaluatedMs - startedMs, encodeMs: performance.now() - evaluatedMs })
  }
  const warm = costs.slice(WARM_UPS)
  return {
    first: costs[0] ?? { evaluateMs: Number.NaN, encodeMs: Number.NaN },
    warm: { evaluateMs: median(warm.map((cost) => cost.evaluateMs)), encodeMs: median(warm.map((cost) => cost.encodeMs)) },
  }
}

/** What a collector knows of a lively pool once every account was queried. */
async function observed(accounts: number) {
  const clock = virtualClock(settle)
  const sleep = (milliseconds: number) => new Promise<void>((resolve) => void clock.schedule(milliseconds, resolve))
  const fake = createFakeUpstream({ now: () => clock.now(), managementKey: KEY, accounts: livePool(accounts, NOW), sleep })
  const source = createLiveSource(
    liveSourceOptions(KEY, {
      accountRefreshSeconds: 3600,
      upstreamTimeoutSeconds: 300,
      quotaProbeConcurrency: 4,
      quotaProbesPerMinute: QUERIES_PER_MINUTE,
    }),
    {
      clock,
      random: () => 0.5,
      fetch: fetchOf(fake),
      log: silentLog,
      report: { upstreamError: () => undefined, probe: () => undefined, accountRefresh: () => undefined },
      usageSink: null,
    },
  )
  source.start(() => undefined)
  while (source.latest(clock.now()).accountList.lastGood === null) await clock.advance(0)
  await clock.advance((accounts / QUERIES_PER_MINUTE + 1) * 60_000)
  const observation = source.latest(clock.now())
  await source.stop()
  return observation
}
