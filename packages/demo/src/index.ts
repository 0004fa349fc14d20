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
export function createDemoSource(lastProbeAt: () => EpochMs | null = () => null): SnapshotSource {
  return {
    start() {},
    latest(now) {
      const observation = exampleObservationAt(now)
      const probedAt = lastProbeAt()
      return probedAt === null
        ? observation
        : { ...observation, evidenceByAuthName: probed(observation, probedAt) }
    },
    stop: () => Promise.resolve(),
  }
}

/** An account that was never asked about before turns out to have been logged out. */
function probed(
  { sources: { accounts }, evidenceByAuthName }: ProxyObservation,
  probedAt: EpochMs,
): ReadonlyMap<string, AccountEvidence> {
  const disabled =
    accounts.lastGood?.value.accounts.filter(({ operatorDisabled }) => operatorDisabled) ?? []
  const probes = disabled.map(({ selector: { authName } }): [string, AccountEvidence] => {
    const known = evidenceByAuthName.get(authName)
    return [
      authName,
      known === undefined || known.disabledProbe.state === 'unknown'
        ? {
            ...evidenceFrom([]),
            disabledProbe: { state: 'auth_invalid', probedAt, httpStatus: 401, sample: null },
          }
        : { ...known, disabledProbe: { ...known.disabledProbe, probedAt } },
    ]
  })
  return new Map([...evidenceByAuthName, ...probes])
}
