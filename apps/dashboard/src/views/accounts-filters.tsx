import type { Signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import {
  blockedBy,
  type ColumnId,
  type FilterId,
  filter,
  filterIds,
  isByPlan,
  mark,
  paid,
  planFilter,
  query,
  showAll,
  sortBy,
  sorting,
} from '../state/account-filters.ts'
import {
  blockedCauses,
  type Choice as FilterChoice,
  filterCounts,
  marks,
  paidChoices,
  plans,
  setFilterCount,
} from '../state/account-search.ts'
import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'
import { columnClass, shownColumns } from './accounts-columns.tsx'

/** Controls that filter, sort and group the table. If there is no room for all, most of them are behind one button. */
export function AccountFilters() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Search />
      <button
        type="button"
        class="button filters-button"
        aria-expanded={isOpen}
        aria-controls="filters"
        onClick={() => setOpen(!isOpen)}
      >
        {accountsWords.filtersButton(setFilterCount.value)}
      </button>
      <div id="filters" class={isOpen ? 'filters open' : 'filters'}>
        <SortChoice />
        <Chips />
        <button
          type="button"
          class="button group-switch"
          aria-pressed={isByPlan.value}
          onClick={() => {
            isByPlan.value = !isByPlan.value
          }}
        >
          {accountsWords.groupByPlan}
        </button>
        <Choice
          label={accountsWords.planFilter}
          any={accountsWords.anyPlan}
          value={planFilter}
          choices={plans.value}
        />
        <Choice
          label={accountsWords.markFilter}
          any={accountsWords.anyMark}
          value={mark}
          choices={marks.value}
        />
        <Choice
          label={accountsWords.causeFilter}
          any={accountsWords.anyCause}
          value={blockedBy}
          choices={blockedCauses.value}
        />
        <Choice
          label={accountsWords.paidFilter}
          any={accountsWords.anyPaid}
          value={paid}
          choices={paidChoices.value}
        />
      </div>
    </>
  )
}

function Search() {
  return (
    <label class="search">
      <Icon name="search" />
      <span class="sr">{accountsWords.searchLabel}</span>
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
      {query.value === '' ? (
        <kbd>/</kbd>
      ) : (
        <button
          type="button"
          class="clear"
          aria-label={accountsWords.clearSearch}
          title={accountsWords.clearSearch}
          onClick={() => {
            query.value = ''
            document.getElementById('search')?.focus()
          }}
        >
          <Icon name="close" />
        </button>
      )}
    </label>
  )
}

/** Mutually exclusive filters. "All" is pressed while nothing filters the table, and resets all filters. */
function Chips() {
  const isPressed = (id: FilterId) =>
    filter.value === id && (id !== 'all' || setFilterCount.value === 0)
  return (
    <div class="chips" role="group" aria-label={accountsWords.filter}>
      {filterIds.map((id) => (
        <button
          key={id}
          type="button"
          class="chip"
          aria-pressed={isPressed(id)}
          onClick={() => {
            if (id === 'all') showAll()
            else filter.value = filter.value === id ? 'all' : id
          }}
        >
          {accountsWords.filters[id]} <span>{filterCounts.value[id]}</span>
        </button>
      ))}
    </div>
  )
}

/** Choice of one value or all; hidden if there is nothing to choose. */
function Choice<Id extends string>({
  label,
  any,
  value,
  choices,
}: {
  readonly label: string
  readonly any: string
  readonly value: Signal<Id | null>
  readonly choices: readonly FilterChoice[]
}) {
  if (choices.length < 2 && value.value === null) return null
  return (
    <select
      aria-label={label}
      class={value.value === null ? undefined : 'set'}
      value={value.value ?? ''}
      onChange={(event) => {
        const chosen = event.currentTarget.value
        value.value = chosen === '' ? null : (chosen as Id)
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

/** Choice of the sort column, for screens without column heads. */
function SortChoice() {
  const windows = shownColumns().filter(({ id }) => id in columnClass)
  const choices: readonly (readonly [ColumnId, string])[] = [
    ['rank', accountsWords.rankName],
    ...windows.map(({ id, text }) => [id, text] as const),
    ...windows.flatMap(({ second }) =>
      second === undefined ? [] : [[second.id, second.name] as const],
    ),
    ['account', accountsWords.columns.account],
    ['paidUntil', accountsWords.columns.paidUntil],
    ['bankedReset', accountsWords.columns.bankedReset],
    ['plan', accountsWords.columns.plan],
    ['status', accountsWords.columns.status],
    ['score', accountsWords.columns.score],
    ['load', accountsWords.columns.load],
    ['sample', accountsWords.columns.sample],
  ]
  return (
    <label class="sort-choice">
      {accountsWords.sort}
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
