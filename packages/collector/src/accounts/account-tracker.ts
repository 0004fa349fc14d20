import { type Account, type EpochMs, epochMs, type RequestSlot } from '@svc/core'
import type { RememberedAccount, RequestCounters } from '@svc/core/service'

/** What one list says about one account that only a comparison with the list before gives a time. All times on our clock. */
export interface Sighting {
  /** Tells two status messages apart; null when there is none. */
  readonly messageHash: string | null
  /** When an earlier process first saw this very message; null when it did not. */
  readonly messageSince: EpochMs | null
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
  /** Knows when an earlier process first saw the messages of accounts, by file name. */
  restore(remembered: ReadonlyMap<string, RememberedAccount>): void
  /** Begins a new list; accounts that it does not show are forgotten. */
  nextList(): ListSightings
}

export interface ListSightings {
  /** The account of this name as an earlier process knew it; null for none, and from the second list on. */
  earlier(authName: string): Account | null
  timesOf(identity: string, sighting: Sighting, now: EpochMs): TrackedTimes
  /** Notes what the proxy has counted for one auth file of any provider; null where it does not count. */
  count(
    authName: string,
    counted: { readonly success: number | null; readonly failed: number | null },
  ): void
  /** All that was ever counted, files that are gone included; null when nothing was. */
  counters(now: EpochMs): RequestCounters | null
}

type Tracked = Sighting & TrackedTimes

/** Requests of one auth file since the proxy started. */
interface Counted {
  readonly success: number
  readonly failed: number
}

/** Files whose counts are remembered apart, whether they are listed or not. */
const NAMES_MAX = 20_000

export function createAccountTracker(): AccountTracker {
  let tracked: ReadonlyMap<string, Tracked> = new Map()
  const newestByName = new Map<string, Counted>()
  // What was counted before the proxy began again, and for files that are gone for good.
  let earlier: Counted = { success: 0, failed: 0 }
  let restartedAt: EpochMs | null = null
  const keep = ({ success, failed }: Counted) => {
    earlier = { success: earlier.success + success, failed: earlier.failed + failed }
  }
  let remembered: ReadonlyMap<string, RememberedAccount> = new Map()
  return {
    restore(known) {
      remembered = known
    },
    nextList() {
      const previous = tracked
      const known = remembered
      remembered = new Map()
      const current = new Map<string, Tracked>()
      let startedAgain = false
      tracked = current
      return {
        earlier: (authName) => known.get(authName)?.account ?? null,
        timesOf(identity, sighting, now) {
          const before = previous.get(identity) ?? null
          const times = {
            messageAt: messageAt(before, sighting, now),
            lastSuccessAt: lastSuccessAt(before, sighting, now),
          }
          current.set(identity, { ...sighting, ...times })
          return times
        },
        count(authName, { success, failed }) {
          if (success === null && failed === null) return
          const counted = { success: success ?? 0, failed: failed ?? 0 }
          const before = newestByName.get(authName)
          if (
            before !== undefined &&
            (counted.success < before.success || counted.failed < before.failed)
          ) {
            startedAgain = true
            keep(before)
          }
          // The one listed longest ago comes first.
          newestByName.delete(authName)
          newestByName.set(authName, counted)
          const [oldest] = newestByName
          if (newestByName.size <= NAMES_MAX || oldest === undefined) return
          keep(oldest[1])
          newestByName.delete(oldest[0])
        },
        counters(now) {
          if (startedAgain) restartedAt = now
          if (newestByName.size === 0) return null
          let { success, failed } = earlier
          for (const counted of newestByName.values()) {
            success += counted.success
            failed += counted.failed
          }
          return { success, failed, tokens: null, restartedAt }
        },
      }
    },
  }
}

/** `updated_at` moves with every request, so only the first sight of a message dates it. */
function messageAt(before: Tracked | null, sighting: Sighting, now: EpochMs): EpochMs | null {
  if (sighting.messageHash === null) return null
  if (before?.messageHash === sighting.messageHash) return before.messageAt
  if (sighting.messageSince !== null) return sighting.messageSince
  if (sighting.updatedAt !== null) return earliest([sighting.updatedAt, now])
  return before === null ? null : now
}

function lastSuccessAt(before: Tracked | null, sighting: Sighting, now: EpochMs): EpochMs | null {
  if (before === null || sighting.successCount === null)
    return newestSuccessAt(sighting, now) ?? before?.lastSuccessAt ?? null
  // A smaller count is a restarted proxy: what it shows now has happened since the list before.
  const succeeded = sighting.successCount > 0 && sighting.successCount !== before.successCount
  // Every result touches `updated_at`, so no success came after it: a login that died since is not taken for proven.
  return succeeded ? earliest([sighting.updatedAt ?? now, now]) : before.lastSuccessAt
}

/** See docs/upstream.md#recent-requests. */
export const SLOT_SECONDS = 600

function newestSuccessAt({ recentRequests, updatedAt }: Sighting, now: EpochMs): EpochMs | null {
  const slot = recentRequests.findLast((candidate) => candidate.success > 0)
  if (slot === undefined) return null
  return earliest([epochMs(slot.startAt + SLOT_SECONDS * 1000), updatedAt ?? now, now])
}

function earliest(instants: readonly EpochMs[]): EpochMs {
  return epochMs(Math.min(...instants))
}
