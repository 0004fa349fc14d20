import { defaultPolicy, evaluateSnapshot, plusMs, type Snapshot } from '@svc/core'
import { aServiceObservation, NOW } from '@svc/core/testing'
import { type Effort, type Finding, findingsOf } from './goals.ts'
import { aProxy, encodeStatus, readingOf } from './observed-proxy.ts'
import { median } from './statistics.ts'

const ACCOUNTS = 1_000
const WARM_MS_MAX = 40
const ROUND_MS = 15_000
/** Code that has run so often is compiled. */
const WARM_UP_ROUNDS = 20

/**
 * Evaluating and encoding one pool in this process, by processor time: the first time, which a process that has just started pays, and once warm, after one
 * account has changed and after all have. The figures of `scale` are of a service that has evaluated a few times.
 */
export async function measureWarm({ rounds }: Effort): Promise<readonly Finding[]> {
  const { observed } = aProxy(0, { accounts: ACCOUNTS, shared: 0 })
  const keys = [...observed.evidenceByAuthName.keys()]
  const evidenceByAuthName = new Map(observed.evidenceByAuthName)
  let previous: Snapshot | null = null
  let round = 0
  const after = (changedCount: number): number => {
    for (const [place, key] of keys.entries())
      if (place < changedCount) evidenceByAuthName.set(key, readingOf(place + round))
    const observation = { ...observed, ...aServiceObservation(), evidenceByAuthName }
    const now = plusMs(NOW, round * ROUND_MS)
    round += 1
    const before = process.cpuUsage()
    const past = { previous, recordedChanges: [] }
    const snapshot: Snapshot = evaluateSnapshot(observation, defaultPolicy, now, past)
    encodeStatus(snapshot)
    const { user, system } = process.cpuUsage(before)
    previous = snapshot
    return (user + system) / 1000
  }
  const medianOf = (changedCount: number) =>
    median(Array.from({ length: 2 * rounds + 1 }, () => after(changedCount)))

  const first = after(0)
  for (let warmUp = 1; warmUp < WARM_UP_ROUNDS; warmUp += 1) after(warmUp % 2 === 0 ? 1 : ACCOUNTS)
  const what = `evaluate and encode, ${ACCOUNTS} accounts`
  const unit = 'ms of a processor'
  const bound = { atMost: WARM_MS_MAX }
  return findingsOf([
    ['warm', `${what}, the first time`, first, unit],
    ['warm', `${what}, one changed`, medianOf(1), unit, bound],
    ['warm', `${what}, all changed`, medianOf(ACCOUNTS), unit, bound],
  ])
}
