import { compactText, countText, unitsText, wholeUnitsText } from '@svc/views/format'
import type { ColumnId } from '../state/account-filters.ts'
import type { AccountSums, WindowSum } from '../state/account-sections.ts'
import { isMixed } from '../state/fleet.ts'
import { unitText } from '../state/providers.ts'
import { type WindowColumn, windowColumns } from '../state/window-columns.ts'
import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'

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

/** A checkbox that picks its row. `isReached` is false if the table's keys pick rows, so that Tab skips the box. */
export function PickBox({
  name,
  isPicked,
  isPartly = false,
  isReached = true,
  onPick,
}: {
  readonly name: string
  readonly isPicked: boolean
  /** True if some but not all rows are picked. */
  readonly isPartly?: boolean
  readonly isReached?: boolean
  readonly onPick: (event: { readonly shiftKey: boolean }) => void
}) {
  return (
    <label class="pick-box">
      <input
        type="checkbox"
        aria-label={name}
        tabIndex={isReached ? undefined : -1}
        checked={isPicked}
        indeterminate={isPartly}
        onClick={(event) => {
          onPick(event)
          // The browser toggles the box even if the pick did not change.
          event.currentTarget.checked = isPicked
        }}
      />
    </label>
  )
}

/** Smallest share worth showing: in a large pool every row would read `<1%`, while tokens differ. */
const SHARE_MIN = 0.01

/** Tokens, and their share of the pool's tokens if that is large enough; nothing if the pool has none. */
export function LoadShare({ tokens, total }: { readonly tokens: number; readonly total: number }) {
  if (total <= 0) return null
  const share = tokens / total
  return (
    <>
      {share >= SHARE_MIN && `${Math.round(share * 100)}% `}
      <span class="dim">{tokens === 0 ? '–' : compactText(tokens)}</span>
    </>
  )
}

/** Describes a set of accounts in one line: how many there are, how many are usable, the quota that is usable, and the tokens they used. */
export function sumsText(sums: AccountSums): string {
  const { accounts, routable, tracked, tokens, windows } = sums
  return strings.listOf([
    strings.accountCount(accounts),
    accountsWords.routable(countText(routable)),
    ...(tracked === 0
      ? [accountsWords.notCounted]
      : windows.map((window) => windowSumText(window, sums))),
    ...(tokens === null ? [] : [accountsWords.tokens(compactText(tokens))]),
  ])
}

/** Sum of one window, as in `5h 3.2 of 8 Plus usable (0.5 held, 1.0 unknown)`. */
export function windowSumText(
  { id, usable, held, unknown }: WindowSum,
  { tracked, unit }: Pick<AccountSums, 'tracked' | 'unit'>,
): string {
  return accountsWords.windowSum(
    accountsWords.windows[id] ?? id,
    unitsText(usable),
    unitText(wholeUnitsText(tracked), unit),
    strings.listOf([
      ...(held === 0 ? [] : [strings.held(unitsText(held))]),
      ...(unknown === 0 ? [] : [accountsWords.unknownToo(unitsText(unknown))]),
    ]),
  )
}
