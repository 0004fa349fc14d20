import { type AccountEvidence, type EpochMs, evidenceFrom, type ProxyObservation } from '@svc/core'
import type { SnapshotSource } from '@svc/core/service'
import { exampleObservationAt } from './example-observation.ts'

export { demoCapacityPoints } from './capacity-history.ts'
export { createDemoRefresher, type DemoRefresher } from './demo-refresher.ts'
export { demoServiceAt } from './example-observation.ts'
export { createDemoUsageReader } from './example-usage.ts'
export { demoQuotaCourse } from './quota-course.ts'
export { demoRecentChanges } from './recent-changes.ts'

/**
 * The sample pool behind `--demo`. What it shows follows from the time it is asked for, and from when its disabled accounts were last asked about by
 * hand: it reads nothing, runs no timer and never calls back.
 */
export function createDemoSource(
  lastProbeAt: (accountKey: string) => EpochMs | null = () => null,
): SnapshotSource {
  return {
    start() {},
    latest(now) {
      const observation = exampleObservationAt(now)
      return { ...observation, evidenceByAuthName: withProbes(observation, lastProbeAt) }
    },
    stop: () => Promise.resolve(),
  }
}

/** A disabled account that was never asked about before turns out to have been logged out. */
function withProbes(
  { sources: { accounts }, evidenceByAuthName }: ProxyObservation,
  lastProbeAt: (accountKey: string) => EpochMs | null,
): ReadonlyMap<string, AccountEvidence> {
  const evidence = new Map(evidenceByAuthName)
  for (const { operatorDisabled, selector } of accounts.lastGood?.value.accounts ?? []) {
    const probedAt = operatorDisabled ? lastProbeAt(selector.accountKey) : null
    if (probedAt === null) continue
    const known = evidence.get(selector.authName)
    evidence.set(
      selector.authName,
      known === undefined || known.disabledProbe.state === 'unknown'
        ? {
            ...evidenceFrom([]),
            disabledProbe: { state: 'auth_invalid', probedAt, httpStatus: 401, sample: null },
          }
        : { ...known, disabledProbe: { ...known.disabledProbe, probedAt } },
    )
  }
  return evidence
}
