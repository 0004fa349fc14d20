import { computed } from '@preact/signals'
import type { PoolAccount, PoolWindow } from './live-data.ts'
import { shownAccounts, windowOrAbsent } from './pool.ts'
import { countedWindows, isOfAll, pools, shownPool } from './providers.ts'

/** A column of windows in the table of accounts. */
export interface WindowColumn {
  /** Id for sorting by the column. */
  readonly id: 'fiveHour' | 'week' | 'month'
  /** Ids of the windows in the column; no account has two of them. */
  readonly windows: readonly [string, ...string[]]
}

const SHORT = ['5h', 'day']
const LONG = ['week', 'month']

/** Column of the tightest limit, for accounts whose provider limits each scope separately. */
const SCOPED = 'scoped'

/** The columns for windows of the shown accounts. A week and a month share a column unless an account has both. */
export const windowColumns = computed<readonly WindowColumn[]>(() => {
  const own = ownColumns.value
  return own.length === 0 ? column('week', [SCOPED]) : own
})

const ownColumns = computed<readonly WindowColumn[]>(() => {
  const counted = isOfAll.value
    ? pools.value.flatMap(({ windows }) => windows)
    : shownPool.value?.unit === 'plus'
      ? countedWindows.value
      : (shownPool.value?.windows ?? [])
  const ids = new Set(counted.map(({ id }) => id))
  const [short, long] = [SHORT, LONG].map((some) => some.filter((id) => ids.has(id)))
  const isApart =
    long?.length === 2 &&
    shownAccounts.value.some((account) => long.every((id) => hasWindow(account, id)))
  return [
    ...column('fiveHour', short),
    ...(isApart
      ? [...column('week', ['week']), ...column('month', ['month'])]
      : column('week', long)),
  ]
})

const hasWindow = (account: PoolAccount, id: string) =>
  windowOrAbsent(account, id).state !== 'absent'

function column(
  id: WindowColumn['id'],
  [first, ...others]: readonly string[] = [],
): readonly WindowColumn[] {
  return first === undefined ? [] : [{ id, windows: [first, ...others] }]
}

/** The account's window in a column. */
export function windowIn(account: PoolAccount, { windows }: WindowColumn): PoolWindow {
  // Of an account that nothing was read of, or that reports nothing, its own window says so.
  if (windows[0] === SCOPED)
    return (
      account.windows.find(({ state }) => state !== 'absent') ?? windowOrAbsent(account, SCOPED)
    )
  return windowOrAbsent(account, windows.find((id) => hasWindow(account, id)) ?? windows[0])
}
