import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { MESSAGE_RESET_DRIFT_MS } from '../account/merge-evidence.ts'
import type { ProviderId } from '../facts/provider.ts'
import { type EpochMs, HOUR_MS } from '../facts/time.ts'
import { mainWindows } from '../facts/window.ts'
import type { EvaluatedPool } from './evaluated-pool.ts'
import { allAccountsOf } from './provider-pool.ts'
import type { ChangeDetail, ChangedAccount } from './recent-changes.ts'
import { cameBack, measurementOf, TOGETHER_MS, type WindowMeasurement } from './vendor-reset.ts'

/** Readings of banked resets to compare the next ones with. */
export interface BankedWatch {
  /** By account key. */
  readonly sights: ReadonlyMap<string, Sight>
  /** Resets that came and were not told yet, oldest first. */
  readonly arrivals: readonly Arrival[]
}

/** The state before anything was read. */
export const nothingBanked: BankedWatch = { sights: new Map(), arrivals: [] }

interface Sight {
  /** Tells one login from the next where the account key may not. */
  readonly login: string
  readonly count: number
  readonly sampledAt: EpochMs
  /** Known expiries: those to come, and those of the last hour that no reading has shown yet. */
  readonly expiries: readonly EpochMs[]
  readonly windows: ReadonlyMap<string, WindowMeasurement>
  /** Time a window was last seen to be reset before its time; null if it was not. */
  readonly resetSeenAt: EpochMs | null
  /** The last time the count was lower than before, and the part of the difference that no change has told. */
  readonly fall: { readonly at: EpochMs; readonly untold: number } | null
  /** Time of the reading that last showed one as spent; null if none did. */
  readonly spentAt: EpochMs | null
}

interface Arrival {
  readonly provider: ProviderId
  readonly accountKey: string
  readonly count: number
  readonly at: EpochMs
}

/** Follows the counts of banked resets, and tells those that arrived, were spent or lapsed. See docs/rules.md#banked-resets. */
export function bankedWatchOf(
  pool: Pick<EvaluatedPool, 'pools' | 'evaluatedAt'>,
  past: BankedWatch,
  namedOf: (account: EvaluatedAccount) => ChangedAccount,
): { readonly watch: BankedWatch; readonly found: readonly ChangeDetail[] } {
  const now = pool.evaluatedAt
  const sights = new Map(past.sights)
  const arrivals = [...past.arrivals]
  const found: ChangeDetail[] = []
  for (const account of allAccountsOf(pool)) {
    const { accountKey } = account.selector
    const { bankedResets: banked, countedInCapacity } = account
    const before = past.sights.get(accountKey)
    if (!countedInCapacity || (banked === undefined && before === undefined)) continue
    const { sight, arrived, spent, lapsed } = nextSight(before, account, now)
    if (sight !== undefined) sights.set(accountKey, sight)
    const { provider } = account.account
    if (arrived > 0) arrivals.push({ provider, accountKey, count: arrived, at: now })
    const named = namedOf(account)
    if (spent > 0) found.push({ code: 'banked_reset_spent', ...named, count: spent })
    if (lapsed > 0) found.push({ code: 'banked_reset_lapsed', ...named, count: lapsed })
  }
  const { told, waiting } = gatheredArrivals(arrivals, now)
  return { watch: { sights, arrivals: waiting }, found: [...found, ...told] }
}

/** Whether the owner of an account spent a reset within ten minutes of this time. */
export function wasSpent({ sights }: BankedWatch, accountKey: string, at: EpochMs): boolean {
  const spentAt = sights.get(accountKey)?.spentAt ?? null
  return spentAt !== null && Math.abs(spentAt - at) <= TOGETHER_MS
}

interface Step {
  readonly sight: Sight | undefined
  readonly arrived: number
  readonly spent: number
  readonly lapsed: number
}

function nextSight(before: Sight | undefined, account: EvaluatedAccount, now: EpochMs): Step {
  const { email, modifiedAt } = account.account
  const login = email === null ? String(modifiedAt) : ''
  const banked = account.bankedResets
  const known = before?.login === login ? before : undefined
  const { windows, resetSeenAt } = readWindows(known, account)
  if (known === undefined) {
    const sight = banked && {
      ...{ login, count: banked.count, sampledAt: banked.sampledAt, expiries: banked.expiresAt },
      ...{ windows, resetSeenAt, fall: null, spentAt: null },
    }
    return { sight, arrived: 0, spent: 0, lapsed: 0 }
  }
  const isRead = banked !== undefined && banked.sampledAt > known.sampledAt
  const { count, sampledAt } = isRead ? banked : known
  const fallen = Math.max(0, known.count - count)
  const fall = fallen > 0 ? { at: sampledAt, untold: fallen } : known.fall
  const isUntold = fall !== null && fall.untold > 0
  const isSpent = isUntold && resetSeenAt !== null && Math.abs(resetSeenAt - fall.at) <= TOGETHER_MS
  const due = known.expiries.filter((at) => at <= sampledAt + MESSAGE_RESET_DRIFT_MS)
  const lapsing = fallen > 0 ? Math.min(due.length, fallen) : 0
  // A window does not come back by itself, so at least one was spent.
  const spent = isSpent ? Math.max(1, fall.untold - lapsing) : 0
  const lapsed = isUntold ? Math.min(lapsing, fall.untold - spent) : 0
  const overdue = known.expiries.filter((at) => at <= now && at > now - HOUR_MS).slice(lapsed)
  const sight = {
    ...{ login, count, sampledAt, windows, resetSeenAt },
    expiries: [...overdue, ...(banked?.expiresAt ?? [])],
    spentAt: spent > 0 && fall !== null ? fall.at : known.spentAt,
    fall: fall && { ...fall, untold: fall.untold - spent - lapsed },
  }
  return { sight, arrived: Math.max(0, count - known.count), spent, lapsed }
}

/** The newest measurements of an account's windows, and when one was last seen to be reset before its time. */
function readWindows(
  before: Sight | undefined,
  account: EvaluatedAccount,
): Pick<Sight, 'windows' | 'resetSeenAt'> {
  const windows = new Map(before?.windows)
  let resetSeenAt = before?.resetSeenAt ?? null
  for (const { id } of mainWindows) {
    const known = windows.get(id)
    const read = measurementOf(account, id)
    if (read === null || (known !== undefined && read.sampledAt <= known.sampledAt)) continue
    if (known !== undefined && cameBack(known, read)) resetSeenAt = read.sampledAt
    windows.set(id, read)
  }
  return { windows, resetSeenAt }
}

/** Arrivals of one provider within ten minutes as one change, once these have passed. */
function gatheredArrivals(arrivals: readonly Arrival[], now: EpochMs) {
  const told: ChangeDetail[] = []
  let waiting = arrivals
  for (;;) {
    const first = waiting.find(({ at }) => now - at >= TOGETHER_MS)
    if (first === undefined) return { told, waiting }
    const isTogether = ({ provider, at }: Arrival) =>
      provider === first.provider && at - first.at <= TOGETHER_MS
    const together = waiting.filter(isTogether)
    waiting = waiting.filter((arrival) => !isTogether(arrival))
    const accountKeys = [...new Set(together.map(({ accountKey }) => accountKey))]
    told.push({
      code: 'banked_reset_arrived',
      provider: first.provider,
      accountCount: accountKeys.length,
      count: together.reduce((sum, { count }) => sum + count, 0),
      accountKeys: accountKeys.slice(0, KEYS_MAX),
      seenAt: first.at,
    })
  }
}

/** Maximum number of account keys that a change names. */
const KEYS_MAX = 100
