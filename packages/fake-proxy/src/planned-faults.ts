import type { FakeFault, FakeRoute } from './faults.ts'

/** The faults that requests are to meet, by route. */
export interface PlannedFaults {
  /** The fault of the request that has just come; null for none. */
  take(route: FakeRoute): FakeFault | null
  /** The next accepted request to the route meets this fault; several are met one after the other. */
  failNext(route: FakeRoute, fault: FakeFault): void
  /** Every accepted request to the route meets this fault, until set to null. */
  setFault(route: FakeRoute, fault: FakeFault | null): void
}

export function createPlannedFaults(): PlannedFaults {
  const standing = new Map<FakeRoute, FakeFault>()
  const next = new Map<FakeRoute, FakeFault[]>()
  return {
    take: (route) => next.get(route)?.shift() ?? standing.get(route) ?? null,
    failNext(route, fault) {
      next.set(route, [...(next.get(route) ?? []), fault])
    },
    setFault(route, fault) {
      if (fault === null) standing.delete(route)
      else standing.set(route, fault)
    },
  }
}
