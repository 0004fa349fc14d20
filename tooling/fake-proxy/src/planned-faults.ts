import type { FakeFault, FakeRoute } from './faults.ts'

/** Faults planned for requests, by route. */
export interface PlannedFaults {
  /** The fault for the current request; null for none. */
  take(route: FakeRoute): FakeFault | null
  /** Plans this fault for the next accepted request to the route; several faults apply to consecutive requests. */
  failNext(route: FakeRoute, fault: FakeFault): void
  /** Applies this fault to every accepted request to the route, until set to null. */
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
