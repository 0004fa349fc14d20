import { defaultPolicy, evaluateSnapshot, offBecause, plusMs, type Snapshot } from '@svc/core'
import { mergeObservations } from '@svc/core/service'
import { aServiceObservation, NOW } from '@svc/core/testing'
import { type Effort, type Finding, findingsOf } from './goals.ts'
import { aProxy, encodeStatus } from './observed-proxy.ts'
import { median } from './statistics.ts'

const PROXIES = 20
const ACCOUNTS_EACH = 500
/** Every proxy lists so many of the same accounts. */
const SHARED_ACCOUNTS = 100
const ROUND_MS = 15_000
/** Code that has run a few times is fast. */
const WARM_UP_ROUNDS = 2

const shared = {
  client_labels: offBecause('no_store'),
  benchmark: offBecause('not_configured'),
} as const

/** Merging, evaluating and encoding what 20 proxies show, by processor time, so that a busy machine does not count. */
export async function measureFleet({ rounds }: Effort): Promise<readonly Finding[]> {
  const [first, ...others] = Array.from({ length: PROXIES }, (_, index) =>
    aProxy(index, { accounts: ACCOUNTS_EACH, shared: SHARED_ACCOUNTS }),
  )
  if (first === undefined) return []
  const spent = { merge: [] as number[], evaluate: [] as number[], encode: [] as number[] }
  let previous: Snapshot | null = null
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
    const timed = <Value>(part: keyof typeof spent, work: () => Value): Value => {
      const before = process.cpuUsage()
      const value = work()
      const { user, system } = process.cpuUsage(before)
      if (round >= WARM_UP_ROUNDS) spent[part].push((user + system) / 1000)
      return value
    }
    const observed = timed('merge', () => mergeObservations([first, ...others], shared))
    const past = { previous, recordedChanges: [] }
    const snapshot: Snapshot = timed('evaluate', () =>
      evaluateSnapshot(
        { ...observed, ...aServiceObservation() },
        defaultPolicy,
        plusMs(NOW, round * ROUND_MS),
        past,
      ),
    )
    timed('encode', () => encodeStatus(snapshot))
    previous = snapshot
  }
  const parts = Object.entries(spent).map(([part, times]) => [part, median(times)] as const)
  const all = parts.reduce((sum, [, ms]) => sum + ms, 0)
  const pool = `${PROXIES} proxies of ${ACCOUNTS_EACH} accounts`
  const unit = 'ms of a processor'
  return findingsOf([
    ...parts.map(([part, ms]) => ['fleet', `${part}, ${pool}`, ms, unit] as const),
    ['fleet', `evaluate and encode, ${pool}`, all, unit, { atMost: 400 }],
  ])
}
