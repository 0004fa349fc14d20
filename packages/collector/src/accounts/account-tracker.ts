import { type Account, accountNamed, type EpochMs, epochMs, type RequestSlot } from '@svc/core'
import { type AskedAccount, isVerdictMessage, verdictAfter } from '@svc/core/account'
import type { RememberedAccount } from '@svc/core/pool'
import {
  ASSUMED_PROVIDER,
  type RequestCounters,
  type StatusMessage,
  type Verdict,
} from '@svc/core/service'
import { laterOf } from '@svc/core/usage'
import { createLoginAliases, type LoginAliases } from './login-aliases.ts'

/** Fields of a listed account whose dates follow only from a comparison with the previous list. All times are on our clock. */
export interface ListDiff {
  /** Hash of the status message; null without one. */
  readonly messageHash: string | null
  /** First time an earlier process saw the same message; null if it did not. */
  readonly messageSince: EpochMs | null
  /** Whether the proxy lists cooldowns, which decide the meaning of some messages. */
  readonly listsCooldowns: boolean
  /** The account as an earlier process knew it; null if unknown. */
  readonly earlier: Account | null
  readonly updatedAt: EpochMs | null
  /** Last write of the auth file. */
  readonly modifiedAt: EpochMs | null
  /** Successes since the proxy started; null if it does not count them. */
  readonly successCount: number | null
  /** Failures since the proxy started; null if it does not count them. */
  readonly failedCount: number | null
  readonly nextRetryAt: EpochMs | null
  readonly recentRequests: readonly RequestSlot[]
}

/** Fields of an `Account` that follow from a comparison with earlier lists. */
export interface Tracked {
  readonly message: StatusMessage
  readonly messageAt: EpochMs | null
  readonly lastSuccessAt: EpochMs | null
  readonly provenAt: EpochMs | null
  readonly verdict: Verdict | null
}

export interface ListSightings {
  /** The account of this name as an earlier process knew it; null if unknown, and always from the second list on. */
  earlier(authName: string): Account | null
  /**
   * The key of a file. A file keeps its first key, and so does its identity at the vendor, as long as provider and address stay the same; each Codex
   * workspace has its own key. `identities`: the identities that the vendor has named for this file.
   */
  keyOf(authName: string, of: KeyedFile, identities: readonly string[]): string
  /** Compares an account with the previous list. `read` parses a message that is new or has another time; `at` is the time it was written, null when unknown. */
  follow(
    identity: string,
    sighting: ListDiff,
    now: EpochMs,
    read: (at: EpochMs | null) => StatusMessage,
  ): Tracked
  /** Notes the requests that the proxy has counted for one auth file of any provider; null if the proxy does not count. */
  count(
    authName: string,
    counted: { readonly success: number | null; readonly failed: number | null },
  ): void
  /** Sum of all requests counted so far, including deleted files; null if nothing was counted. */
  counters(now: EpochMs): RequestCounters | null
}

/** A file with the key that follows from its list alone. */
export interface KeyedFile extends Pick<Account, 'provider' | 'email'> {
  readonly newKey: string
}

interface Seen {
  readonly sighting: ListDiff
  readonly tracked: Tracked
  readonly seenAt: EpochMs
}

/** Requests of one auth file that the proxy has counted since it started. */
interface Counted {
  readonly success: number
  readonly failed: number
}

/** Maximum number of files whose counts are kept individually, listed or not; the counts of the oldest are only kept as a sum. */
const NAMES_MAX = 20_000

/** `aliases`: keys by identity, shared with other proxies. */
export function createAccountTracker(aliases: LoginAliases = createLoginAliases()) {
  let tracked: ReadonlyMap<string, Seen> = new Map()
  let keyedFiles: ReadonlyMap<string, KeyedFile> = new Map()
  const newestByName = new Map<string, Counted>()
  // Requests counted before the proxy restarted, and for files dropped from `newestByName`.
  let earlier: Counted = { success: 0, failed: 0 }
  let restartedAt: EpochMs | null = null
  const keep = ({ success, failed }: Counted) => {
    earlier = { success: earlier.success + success, failed: earlier.failed + failed }
  }
  let remembered: ReadonlyMap<string, RememberedAccount> = new Map()
  let refused: ReadonlyMap<string, AskedAccount> = new Map()
  return {
    /** Takes the accounts an earlier process knew, by file name, so that their messages keep their time. */
    restore(known: ReadonlyMap<string, RememberedAccount>) {
      remembered = known
    },
    /** Takes the refusals stored with the last queries; they are newer than the restored accounts. */
    useAsked(asked: readonly AskedAccount[]) {
      refused = new Map(asked.map((one) => [one.authName, one]))
    },
    /** Begins a new list; accounts missing from it are forgotten. */
    nextList(): ListSightings {
      const previous = tracked
      const keyedBefore = keyedFiles
      const keyed = new Map<string, KeyedFile>()
      keyedFiles = keyed
      const known = remembered
      remembered = new Map()
      const refusals = refused
      refused = new Map()
      const current = new Map<string, Seen>()
      let startedAgain = false
      tracked = current
      return {
        earlier(authName) {
          const account = known.get(authName)?.account ?? null
          const refusal = refusals.get(authName)
          if (refusal === undefined || (account === null && refusal.verdict === null))
            return account
          const { accountKey, verdict } = refusal
          const selector = { authName, authIndex: '', accountKey }
          const earlier = account ?? accountNamed(authName, { selector })
          return earlier.selector.accountKey === accountKey ? { ...earlier, verdict } : earlier
        },
        keyOf(authName, of, identities) {
          const stored = known.get(authName)?.account
          const before =
            keyedBefore.get(authName) ??
            (stored === undefined ? null : { ...stored, newKey: stored.selector.accountKey })
          const isSame = before?.provider === of.provider && before.email === of.email
          if (of.provider === ASSUMED_PROVIDER) return of.newKey
          // Identities of a login that the file no longer has say nothing about its new one.
          const newKey = isSame ? aliases.keyOf(identities, before.newKey) : of.newKey
          keyed.set(authName, { ...of, newKey })
          return newKey
        },
        follow(identity, sighting, now, read) {
          const { messageHash, listsCooldowns, earlier } = sighting
          const before = previous.get(identity) ?? null
          const messageAt = messageTime(before, sighting, now)
          const lastSuccessAt = laterOf(
            successTime(before, sighting, now),
            earlier?.lastSuccessAt ?? null,
          )
          const provenAt = laterOf(provenTime(before, sighting, now), earlier?.provenAt ?? null)
          const isKnown =
            before?.sighting.messageHash === messageHash &&
            before.tracked.messageAt === messageAt &&
            before.sighting.listsCooldowns === listsCooldowns
          const message = isKnown ? before.tracked.message : read(messageAt)
          const known = verdictAfter(
            earlier?.verdict ?? null,
            before?.tracked.verdict ?? null,
            provenAt,
          )
          const refusal = refusalIn(before, sighting, { message, messageAt, now })
          const verdict = verdictAfter(known, refusal, provenAt)
          const tracked = { message, messageAt, lastSuccessAt, provenAt, verdict }
          current.set(identity, { sighting, tracked, seenAt: now })
          return tracked
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
          // Reinserted, so that the name listed longest ago comes first.
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

export type AccountTracker = ReturnType<typeof createAccountTracker>

/** `updated_at` changes with every request, so it dates a message only when the message is first seen. */
function messageTime(before: Seen | null, sighting: ListDiff, now: EpochMs): EpochMs | null {
  if (sighting.messageHash === null) return null
  if (before?.sighting.messageHash === sighting.messageHash) return before.tracked.messageAt
  if (sighting.messageSince !== null) return sighting.messageSince
  if (sighting.updatedAt !== null) return earliest([sighting.updatedAt, now])
  return before === null ? null : now
}

function successTime(before: Seen | null, sighting: ListDiff, now: EpochMs): EpochMs | null {
  if (before === null || sighting.successCount === null)
    return newestSuccessAt(sighting, now) ?? before?.tracked.lastSuccessAt ?? null
  // Every result changes `updated_at`, so the success came no later: a login that has failed since does not count as proven.
  return hasCounted(before.sighting.successCount, sighting.successCount)
    ? earliest([sighting.updatedAt ?? now, now])
    : before.tracked.lastSuccessAt
}

/** If both a success and a failure were counted since the previous list, their order is unknown, and the success is dated to the previous list. */
function provenTime(before: Seen | null, sighting: ListDiff, now: EpochMs): EpochMs | null {
  if (before === null || sighting.successCount === null)
    return (
      sighting.recentRequests.findLast((slot) => slot.success > 0)?.startAt ??
      before?.tracked.provenAt ??
      null
    )
  if (!hasCounted(before.sighting.successCount, sighting.successCount))
    return before.tracked.provenAt
  return hasCounted(before.sighting.failedCount, sighting.failedCount)
    ? before.seenAt
    : earliest([sighting.updatedAt ?? now, now])
}

/**
 * The refusal in this list: a message, or a new failure without a message if the proxy has rewritten the auth file, because rewriting clears the
 * message. Other failures without a message are the client's fault.
 */
function refusalIn(
  before: Seen | null,
  { failedCount, successCount, modifiedAt, updatedAt, nextRetryAt }: ListDiff,
  {
    message,
    messageAt,
    now,
  }: { readonly message: StatusMessage; readonly messageAt: EpochMs | null; readonly now: EpochMs },
): Verdict | null {
  const failedAgain = before !== null && hasCounted(before.sighting.failedCount, failedCount)
  const failedAt = earliest([updatedAt ?? now, now])
  const base = { origin: 'list', retryAt: nextRetryAt, inARow: 1 } as const
  if (isVerdictMessage(message)) {
    const observedAt = message.kind === 'usage_limit' ? message.observedAt : null
    const shownAt = observedAt ?? messageAt ?? now
    return { ...base, message, at: failedAgain && failedAt > shownAt ? failedAt : shownAt }
  }
  const isWiped =
    failedAgain &&
    message.kind === 'none' &&
    !hasCounted(before.sighting.successCount, successCount) &&
    modifiedAt !== before.sighting.modifiedAt
  return isWiped ? { ...base, message: { kind: 'other' }, at: failedAt } : null
}

/** Whether the proxy counted a request since the previous list; a smaller count qualifies too, because a restarted proxy counts from zero. */
function hasCounted(before: number | null, now: number | null): boolean {
  return now !== null && now > 0 && now !== before
}

/** See docs/upstream.md#recent-requests. */
export const SLOT_SECONDS = 600

function newestSuccessAt({ recentRequests, updatedAt }: ListDiff, now: EpochMs): EpochMs | null {
  const slot = recentRequests.findLast((candidate) => candidate.success > 0)
  if (slot === undefined) return null
  return earliest([epochMs(slot.startAt + SLOT_SECONDS * 1000), updatedAt ?? now, now])
}

function earliest(instants: readonly EpochMs[]): EpochMs {
  return epochMs(Math.min(...instants))
}
