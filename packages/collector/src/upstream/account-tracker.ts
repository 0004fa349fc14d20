import { type EpochMs, epochMs, type RequestSlot } from '@svc/core'

/** What one list says about one account that only a comparison with the list before gives a time. All times on our clock. */
export interface Sighting {
  /** Tells two status messages apart; null when there is none. */
  readonly messageHash: string | null
  readonly updatedAt: EpochMs | null
  /** Successes since the proxy started, null when it does not count. */
  readonly successCount: number | null
  readonly recentRequests: readonly RequestSlot[]
}

export interface TrackedTimes {
  readonly messageAt: EpochMs | null
  readonly lastSuccessAt: EpochMs | null
}

/** Remembers each account's last sighting. */
export interface AccountTracker {
  /** Begins a new list; accounts that it does not show are forgotten. */
  nextList(): { timesOf(identity: string, sighting: Sighting, now: EpochMs): TrackedTimes }
}

type Tracked = Sighting & TrackedTimes

export function createAccountTracker(): AccountTracker {
  let tracked: ReadonlyMap<string, Tracked> = new Map()
  return {
    nextList() {
      const previous = tracked
      const current = new Map<string, Tracked>()
      tracked = current
      return {
        timesOf(identity, sighting, now) {
          const before = previous.get(identity) ?? null
          const times = { messageAt: messageAt(before, sighting, now), lastSuccessAt: lastSuccessAt(before, sighting, now) }
          current.set(identity, { ...sighting, ...times })
          return times
        },
      }
    },
  }
}

/** `updated_at` moves with every request, so only the first sight of a message dates it. */
function messageAt(before: Tracked | null, sighting: Sighting, now: EpochMs): EpochMs | null {
  if (sighting.messageHash === null) return null
  if (before?.messageHash === sighting.messageHash) return before.messageAt
  if (sighting.updatedAt !== null) return earliest([sighting.updatedAt, now])
  return before === null ? null : now
}

function lastSuccessAt(before: Tracked | null, sighting: Sighting, now: EpochMs): EpochMs | null {
  if (before === null || sighting.successCount === null) return newestSuccessAt(sighting, now) ?? before?.lastSuccessAt ?? null
  // A smaller count is a restarted proxy: what it shows now has happened since the list before.
  const succeeded = sighting.successCount > 0 && sighting.successCount !== before.successCount
  // Every result touches `updated_at`, so no success came after it: a login that died since is not taken for proven.
  return succeeded ? earliest([sighting.updatedAt ?? now, now]) : before.lastSuccessAt
}

/** Source: upstream contract 2.5. */
export const SLOT_SECONDS = 600

function newestSuccessAt({ recentRequests, updatedAt }: Sighting, now: EpochMs): EpochMs | null {
  const slot = recentRequests.findLast((candidate) => candidate.success > 0)
  if (slot === undefined) return null
  return earliest([epochMs(slot.startAt + SLOT_SECONDS * 1000), updatedAt ?? now, now])
}

function earliest(instants: readonly EpochMs[]): EpochMs {
  return epochMs(Math.min(...instants))
}
