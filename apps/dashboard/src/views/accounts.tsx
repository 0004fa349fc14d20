import type { Signal } from '@preact/signals'
import { compactText, countText, wholeUnitsText } from '@svc/views/format'
import { useRef } from 'preact/hooks'
import { AccountDrawer } from '../parts/account-drawer.tsx'
import { Legend } from '../parts/bars.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { isPageCovered } from '../parts/drawer-panel.tsx'
import { Icon } from '../parts/icon.tsx'
import { shown } from '../parts/name.tsx'
import {
  blockedBy,
  type ColumnId,
  filter,
  filterIds,
  mark,
  plan,
  query,
  sortBy,
  sorting,
} from '../state/account-filters.ts'
import {
  blockedCauses,
  type Choice as FilterChoice,
  filterCounts,
  found,
  foundSums,
  marks,
  plans,
} from '../state/account-search.ts'
import { status } from '../state/live-data.ts'
import { accountKeyOf, accounts, isRoutable } from '../state/pool.ts'
import { route } from '../state/route.ts'
import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'
import { useTableKeys } from './accounts-keys.ts'
import { AccountTable, showBlocked } from './accounts-table.tsx'
import { useStickyHeads } from './sticky-heads.ts'

/** One table of every account, and why each is as it is. */
export function Accounts({ title }: { readonly title: string }) {
  const selected =
    accounts.value.find((account) => accountKeyOf(account) === route.value.account) ?? null
  useTableKeys()
  // What the details cover is not there for the keyboard, nor for a screen reader.
  const isBehind = selected !== null && isPageCovered.value
  const filters = useRef<HTMLDivElement>(null)
  useStickyHeads(filters)
  return (
    <>
      <h2 class="sr">{title}</h2>
      <div class="find" ref={filters} inert={isBehind}>
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
        <Choice
          label={strings.planFilter}
          any={strings.anyPlan}
          value={plan}
          choices={plans.value}
        />
        <Choice
          label={accountsWords.markFilter}
          any={accountsWords.anyMark}
          value={mark}
          choices={marks.value}
        />
        <Choice
          label={strings.causeFilter}
          any={strings.anyCause}
          value={blockedBy}
          choices={blockedCauses.value}
        />
        <Sums />
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

/** What is found, added up, and its names to take along. */
function Sums() {
  const { accounts: count, routable, plusUnits, tokens } = foundSums.value
  if (count === 0) return null
  return (
    <p class="sums">
      <span>
        {strings.sums(
          strings.accountCount(count),
          countText(routable),
          wholeUnitsText(plusUnits),
          compactText(tokens),
        )}
      </span>{' '}
      <CopyButton
        name={strings.copyNames(count)}
        text={() => found.value.map(({ account }) => shown(account.title)).join('\n')}
      />
      {routable > 0 && routable < count && sorting.value.column === 'rank' && (
        <button type="button" class="button" onClick={showBlocked}>
          {strings.toBlocked}
        </button>
      )}
    </p>
  )
}

/** One of several, or all; not shown where there is nothing to choose. */
function Choice({
  label,
  any,
  value,
  choices,
}: {
  readonly label: string
  readonly any: string
  readonly value: Signal<string | null>
  readonly choices: readonly FilterChoice[]
}) {
  if (choices.length < 2 && value.value === null) return null
  return (
    <select
      aria-label={label}
      value={value.value ?? ''}
      onChange={(event) => {
        value.value = event.currentTarget.value === '' ? null : event.currentTarget.value
      }}
    >
      <option value="">{any}</option>
      {value.value !== null && !choices.some(({ id }) => id === value.value) && (
        <option value={value.value}>{accountsWords.noneOf(value.value)}</option>
      )}
      {choices.map(({ id, text, count }) => (
        <option key={id} value={id}>
          {strings.choice(text, count)}
        </option>
      ))}
    </select>
  )
}

/** On a phone the heads of the columns are not there to be pressed. */
function SortChoice() {
  const choices: readonly (readonly [ColumnId, string])[] = [
    ['rank', strings.rankName],
    ['fiveHour', strings.columns.fiveHour],
    ['week', strings.columns.week],
    ['fiveHourReset', strings.columns.fiveHourReset],
    ['weekReset', strings.columns.weekReset],
    ['account', strings.columns.account],
  ]
  return (
    <label class="sort-choice">
      {strings.sort}
      <select
        value={sorting.value.column}
        onChange={(event) => {
          sortBy(event.currentTarget.value as ColumnId)
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
