import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { MESSAGE_RESET_DRIFT_MS } from '../account/merge-evidence.ts'
import { UNEXPECTED_RISE_MIN } from '../account/quota-course.ts'
import { staleAfterSeconds } from '../account/quota-window.ts'
import { providerRowOf } from '../facts/provider.ts'
import { type EpochMs, epochMs, MINUTE_MS } from '../facts/time.ts'
import { type MainWindowId, mainWindows } from '../facts/window.ts'
import type { EvaluatedPool } from './evaluated-pool.ts'
import { allAccountsOf } from './provider-pool.ts'
import type { ChangeDetail, RecentChange } from './recent-changes.ts'

/** A window that the vendor refilled for many accounts at once, before their own resets. */
type VendorReset = Extract<ChangeDetail, { readonly code: 'vendor_reset' }>

export interface VendorWatch {
  readonly sights: ReadonlyMap<string, Sight>
  /** The last known reset of each window of each provider, with the time it was found. */
  readonly last: ReadonlyMap<string, { readonly at: EpochMs; readonly reset: VendorReset }>
}

/** The state before anything was read. */
export const nothingSighted: VendorWatch = { sights: new Map(), last: new Map() }

/** One measurement of a window. */
export interface WindowMeasurement {
  readonly percent: number
  readonly resetAt: EpochMs | null
  readonly sampledAt: EpochMs
}

interface Sight extends WindowMeasurement {
  readonly provider: string
  readonly windowId: MainWindowId
  /** Plan of the account, plus the version of a file that does not identify its login. Readings of different owners cannot be compared. */
  readonly owner: string
  readonly weight: number
  /** Quota that came back before the window's own reset; null if none did. */
  readonly comeback: Comeback | null
}

interface Comeback {
  /** Last reading before the quota came back. */
  readonly from: Sight
  /** Time of the first reading that shows the comeback. */
  readonly seenAt: EpochMs
  /** Plus units. */
  readonly units: number
  /** Whether a second reading shows the comeback too. */
  readonly isConfirmed: boolean
}

/** Longest time between the first readings that show one reset. */
export const TOGETHER_MS = 10 * MINUTE_MS
/** Minimum number of accounts that must show a reset twice. */
const ACCOUNTS_MIN = 3
/** In a pool of fewer accounts than this, every account read since the reset must show it. */
const POOL_MIN = 6

/**
 * Follows the readings of a pool, and finds vendor resets in them. `recorded`: changes that an earlier process recorded.
 * `wasSpent`: whether the owner of an account reset it at about this time, so that it is no witness. See docs/rules.md#vendor-reset.
 */
export function vendorWatchOf(
  pool: Pick<EvaluatedPool, 'pools' | 'evaluatedAt' | 'sampleEverySeconds'>,
  past: VendorWatch,
  recorded: readonly RecentChange[],
  wasSpent: (accountKey: string, at: EpochMs) => boolean = () => false,
): { readonly watch: VendorWatch; readonly found: readonly VendorReset[] } {
  const sights = new Map<string, Sight>()
  for (const account of allAccountsOf(pool)) {
    const { queriesApartSeconds } = providerRowOf(account.account.provider)
    const gapMs = staleAfterSeconds(Math.max(pool.sampleEverySeconds, queriesApartSeconds)) * 1000
    for (const { id } of mainWindows) {
      const key = `${id} ${account.selector.accountKey}`
      const before = sights.get(key) ?? past.sights.get(key)
      const reading = sightOf(account, id)
      const sight = reading === null ? before : nextSight(before, reading, gapMs)
      if (sight !== undefined) sights.set(key, sight)
    }
  }

  const last = new Map(past.last)
  for (const { at, detail } of recorded)
    if (detail.code === 'vendor_reset' && !last.has(groupOf(detail)))
      last.set(groupOf(detail), { at, reset: detail })
  const all = [...sights].flatMap(([key, sight]) => {
    const accountKey = key.slice(sight.windowId.length + 1)
    return sight.comeback !== null && wasSpent(accountKey, sight.comeback.seenAt) ? [] : [sight]
  })
  const found: VendorReset[] = []
  for (const group of new Set(all.filter(isConfirmed).map(groupOf))) {
    const members = all.filter((sight) => groupOf(sight) === group)
    const reset = resetIn(members, last.get(group)?.at ?? 0)
    if (reset === null) continue
    found.push(reset)
    last.set(group, { at: pool.evaluatedAt, reset })
  }
  return { watch: { sights, last }, found }
}

function groupOf({ provider, windowId }: Pick<VendorReset, 'provider' | 'windowId'>): string {
  return `${windowId} ${provider}`
}

function isConfirmed({ comeback }: Sight): boolean {
  return comeback?.isConfirmed === true
}

/** The last measurement of a window; null without one. An error or a message is no measurement. */
export function measurementOf(
  account: EvaluatedAccount,
  windowId: MainWindowId,
): WindowMeasurement | null {
  const { window } = account.quota[windowId]
  if (window.state !== 'known' && window.state !== 'exhausted') return null
  if (window.origin !== 'direct' && window.origin !== 'headers') return null
  if (window.state === 'known' && window.rolledOverAt !== null) return null
  const { percent, resetAt, sampledAt } = window
  return { percent, resetAt, sampledAt }
}

function sightOf(account: EvaluatedAccount, windowId: MainWindowId): Sight | null {
  const measurement = measurementOf(account, windowId)
  if (measurement === null) return null
  const { email, modifiedAt, provider } = account.account
  const owner = `${account.plan} ${email === null ? modifiedAt : ''}`
  const weight = account.capacityWeight
  return { ...measurement, provider, windowId, owner, weight, comeback: null }
}

function nextSight(before: Sight | undefined, reading: Sight, gapMs: number): Sight {
  if (before === undefined) return reading
  const sinceMs = reading.sampledAt - before.sampledAt
  if (sinceMs <= 0) return before
  if (before.owner !== reading.owner) return reading
  const { comeback } = before
  if (comeback !== null && reading.sampledAt - comeback.seenAt <= TOGETHER_MS + gapMs)
    return cameBack(comeback.from, reading)
      ? { ...reading, comeback: { ...comeback, isConfirmed: true } }
      : reading
  // After a longer silence nobody knows when it came back.
  if (sinceMs > gapMs || !cameBack(before, reading)) return reading
  const from = { ...before, comeback: null }
  const units = (reading.weight * Math.max(0, reading.percent - before.percent)) / 100
  return { ...reading, comeback: { from, seenAt: reading.sampledAt, units, isConfirmed: false } }
}

/** Whether quota came back between two readings, before the window's own reset. A full window has none to get back. */
export function cameBack(
  { percent, resetAt }: WindowMeasurement,
  next: WindowMeasurement,
): boolean {
  if (percent >= 100 || resetAt === null) return false
  if (next.sampledAt >= resetAt - MESSAGE_RESET_DRIFT_MS) return false
  const movedMs = (next.resetAt ?? resetAt) - resetAt
  return next.percent - percent >= UNEXPECTED_RISE_MIN || movedMs >= MESSAGE_RESET_DRIFT_MS
}

/**
 * The reset that these windows show; null for none, or if they show only the one found at `foundAt`. Comebacks from readings before that time belong
 * to it.
 */
function resetIn(sights: readonly Sight[], foundAt: number): VendorReset | null {
  const comebacks = sights.flatMap(({ comeback }) =>
    comeback === null || comeback.from.sampledAt < foundAt ? [] : [comeback],
  )
  const needed = Math.min(ACCOUNTS_MIN, sights.length)
  const together = comebacks
    .map(({ seenAt: first }) =>
      comebacks.filter(({ seenAt }) => seenAt >= first && seenAt - first <= TOGETHER_MS),
    )
    .find((some) => some.filter((comeback) => comeback.isConfirmed).length >= needed)
  const [one] = sights
  if (together === undefined || one === undefined) return null
  const seenAt = epochMs(Math.min(...together.map((comeback) => comeback.seenAt)))
  const isUnmoved = ({ comeback, percent, sampledAt }: Sight) =>
    comeback === null && percent < 100 && sampledAt >= seenAt
  if (sights.length < POOL_MIN && sights.some(isUnmoved)) return null
  const units = together.reduce((sum, comeback) => sum + comeback.units, 0)
  return {
    code: 'vendor_reset',
    provider: one.provider,
    windowId: one.windowId,
    accountCount: together.length,
    ...(units > 0 ? { units } : {}),
    seenAt,
  }
}
