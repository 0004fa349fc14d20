import { AccountDrawer } from '../parts/account-drawer.tsx'
import { Legend } from '../parts/bars.tsx'
import { isPageCovered } from '../parts/drawer-panel.tsx'
import { Icon } from '../parts/icon.tsx'
import {
  type ColumnId,
  filter,
  filterCounts,
  filterIds,
  query,
  sorting,
} from '../state/account-search.ts'
import { status } from '../state/live-data.ts'
import { accountKeyOf, accounts, isRoutable } from '../state/pool.ts'
import { route } from '../state/route.ts'
import { strings } from '../words/strings.ts'
import { useTableKeys } from './accounts-keys.ts'
import { AccountTable } from './accounts-table.tsx'

/** One table of every account, and why each is as it is. */
export function Accounts({ title }: { readonly title: string }) {
  const selected =
    accounts.value.find((account) => accountKeyOf(account) === route.value.account) ?? null
  useTableKeys()
  // What the details cover is not there for the keyboard, nor for a screen reader.
  const isBehind = selected !== null && isPageCovered.value
  return (
    <>
      <h2 class="sr">{title}</h2>
      <div class="find" inert={isBehind}>
        <label class="search">
          <Icon name="search" />
          <span class="sr">{strings.searchLabel}</span>
          <input
            id="search"
            type="search"
            placeholder={strings.search}
            autocomplete="off"
            spellcheck={false}
            value={query.value}
            onInput={(event) => {
              query.value = event.currentTarget.value
            }}
            onKeyDown={(event) => {
              if (event.key === 'Escape') event.currentTarget.blur()
            }}
          />
          <kbd>/</kbd>
        </label>
        <SortChoice />
        <div class="chips" role="group" aria-label={strings.filter}>
          {filterIds.map((id) => (
            <button
              key={id}
              type="button"
              class="chip"
              aria-pressed={filter.value === id}
              onClick={() => {
                filter.value = id
              }}
            >
              {strings.filters[id]} <span>{filterCounts.value[id]}</span>
            </button>
          ))}
        </div>
        <Legend />
      </div>
      <div class="split">
        <div class="table-box" inert={isBehind}>
          {status.value?.available === true && accounts.value.length === 0 ? (
            <p class="empty">{strings.noAccounts}</p>
          ) : (
            <AccountTable selected={selected} />
          )}
        </div>
        {selected !== null && (
          <AccountDrawer
            account={selected}
            rank={isRoutable(selected) ? accounts.value.indexOf(selected) + 1 : null}
          />
        )}
      </div>
    </>
  )
}

/** On a phone the heads of the columns are not there to be pressed. */
function SortChoice() {
  const choices: readonly (readonly [ColumnId, string])[] = [
    ['rank', strings.rankName],
    ['fiveHour', strings.columns.fiveHour],
    ['week', strings.columns.week],
    ['account', strings.columns.account],
  ]
  return (
    <label class="sort-choice">
      {strings.sort}
      <select
        value={sorting.value.column}
        onChange={(event) => {
          sorting.value = { column: event.currentTarget.value as ColumnId, isDescending: false }
        }}
      >
        {choices.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
