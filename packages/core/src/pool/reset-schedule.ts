import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { isPresent, type QuotaWindow, resetAtOf } from '../account/quota-window.ts'
import { type EpochMs, secondsUntil } from '../facts/time.ts'
import { fileKeyOf } from '../facts/upstream.ts'
import { type MainWindowId, mainWindows, WEEK } from '../facts/window.ts'

/** The next reset of an account's window, or of the other window that blocks it. */
export interface AccountReset {
  readonly account: EvaluatedAccount
  readonly window: QuotaWindow
  /** The window whose reset really frees the account; null if no reset is known. */
  readonly resetSource: MainWindowId | null
  readonly resetAt: EpochMs | null
  readonly resetsInSeconds: number | null
}

/** Rows of one window, nearest reset first, unknown ones last. */
export interface ResetColumn {
  readonly windowId: MainWindowId
  readonly rows: readonly AccountReset[]
}

/** Times at which enabled accounts get quota back, one column per main window. Accounts whose plan lacks a window have no row in its column. */
export function resetColumnsOf(
  accounts: readonly EvaluatedAccount[],
  now: EpochMs,
): readonly ResetColumn[] {
  const enabled = accounts.filter(
    ({ blockedReasons }) => !blockedReasons.includes('operator_disabled'),
  )
  return mainWindows.map(({ id: windowId }) => {
    const rows = enabled
      .filter(({ quota }) => isPresent(quota[windowId].window))
      .map((account) => accountResetOf(account, windowId, now))
    return { windowId, rows: rows.sort(bySoonest) }
  })
}

/** Whether any window in these columns has a reset after `from` and at or before `to`. */
export function hasResetBetween(
  columns: readonly ResetColumn[],
  from: EpochMs,
  to: EpochMs,
): boolean {
  return columns.some(({ rows }) =>
    rows.some(({ resetAt }) => resetAt !== null && resetAt > from && resetAt <= to),
  )
}

function accountResetOf(
  account: EvaluatedAccount,
  windowId: MainWindowId,
  now: EpochMs,
): AccountReset {
  const { quota } = account
  // While the week is used up, a 5h reset returns nothing.
  const source = quota[WEEK].window.state === 'exhausted' ? WEEK : windowId
  const resetAt = resetAtOf(quota[source].window)
  return {
    account,
    window: quota[windowId].window,
    resetSource: resetAt === null ? null : source,
    resetAt,
    resetsInSeconds: secondsUntil(resetAt, now),
  }
}

function bySoonest(a: AccountReset, b: AccountReset): number {
  const seconds =
    (a.resetsInSeconds ?? Number.MAX_SAFE_INTEGER) - (b.resetsInSeconds ?? Number.MAX_SAFE_INTEGER)
  return seconds !== 0
    ? seconds
    : fileKeyOf(a.account.account) < fileKeyOf(b.account.account)
      ? -1
      : 1
}
