import type { ColumnId } from '../state/account-filters.ts'
import { isMixed } from '../state/fleet.ts'
import { type WindowColumn, windowColumns } from '../state/window-columns.ts'
import { accountsWords } from '../words/accounts-words.ts'

/** A column of the table of accounts. */
export interface Column {
  readonly id: ColumnId
  readonly text: string
  readonly className: string
  /** Second value in its cells, with its own sort button. */
  readonly second?: { readonly id: ColumnId; readonly text: string; readonly name: string }
}

/** Class of each column of windows. */
export const columnClass = {
  fiveHour: 'five',
  week: 'week',
  month: 'month',
} as const satisfies Readonly<Record<WindowColumn['id'], string>>

/**
 * The columns shown now. The proxy column is included while accounts of several proxies are shown, a window column if an account has such a window.
 */
export function shownColumns(): readonly Column[] {
  return [
    plain('rank', 'rank'),
    plain('account', 'who'),
    ...(isMixed.value ? [plain('upstream', 'at')] : []),
    {
      ...plain('plan', 'plan'),
      second: {
        id: 'paidUntil',
        text: accountsWords.paidHead,
        name: accountsWords.columns.paidUntil,
      },
    },
    plain('status', 'state'),
    plain('score', 'points'),
    ...windowColumns.value.map(columnOf),
    plain('load', 'load'),
    plain('sample', 'sample'),
  ]
}

const plain = (id: keyof typeof accountsWords.columns & ColumnId, className: string): Column => ({
  id,
  text: accountsWords.columns[id],
  className,
})

function columnOf({ id, windows }: WindowColumn): Column {
  const names = windows.map((window) => accountsWords.windows[window] ?? window)
  return {
    id,
    text: accountsWords.windowLeft(names),
    className: columnClass[id],
    second: {
      id: `${id}Reset`,
      text: accountsWords.columns.resetsIn,
      name: accountsWords.windowResets(names),
    },
  }
}
