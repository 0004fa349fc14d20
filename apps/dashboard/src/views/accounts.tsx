import { useEffect, useRef } from 'preact/hooks'
import { AccountDrawer } from '../parts/account-drawer.tsx'
import { Legend } from '../parts/bars.tsx'
import { isPageCovered } from '../parts/drawer-panel.tsx'
import { followPool } from '../state/account-picks.ts'
import { status } from '../state/live-data.ts'
import { openAccount } from '../state/open-account.ts'
import { accounts, isRoutable } from '../state/pool.ts'
import { strings } from '../words/strings.ts'
import { AccountFilters } from './accounts-filters.tsx'
import { useTableKeys } from './accounts-keys.ts'
import { PickedBar } from './accounts-picked.tsx'
import { FoundCount, Sums } from './accounts-sums.tsx'
import { AccountTable } from './accounts-table.tsx'
import { LazySetUp } from './lazy-set-up.ts'
import { useStickyHeads } from './sticky-heads.ts'
import './accounts-lines.css'

/** One table of every account, and why each is as it is; how to come to one before any account is known. */
export function Accounts({ title }: { readonly title: string }) {
  return status.value?.available === true ? <Table title={title} /> : <LazySetUp title={title} />
}

function Table({ title }: { readonly title: string }) {
  const selected = openAccount.value
  useTableKeys()
  useEffect(() => followPool(), [])
  // What the details cover is not there for the keyboard, nor for a screen reader.
  const isBehind = selected !== null && isPageCovered.value
  const filters = useRef<HTMLDivElement>(null)
  useStickyHeads(filters)
  return (
    <>
      <h2 class="sr">{title}</h2>
      <div class="find" ref={filters} inert={isBehind}>
        {accounts.value.length > 0 && (
          <>
            <AccountFilters />
            <Sums />
            <FoundCount />
            <Legend />
          </>
        )}
      </div>
      <div class="split">
        <div class="table-box" inert={isBehind}>
          {accounts.value.length === 0 ? (
            <p class="empty">{strings.noAccounts}</p>
          ) : (
            <AccountTable selected={selected} />
          )}
          <PickedBar />
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
