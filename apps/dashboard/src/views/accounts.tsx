import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { AccountDrawer } from '../parts/account-drawer.tsx'
import { isPageCovered } from '../parts/drawer-panel.tsx'
import { followPool } from '../state/account-picks.ts'
import { status } from '../state/live-data.ts'
import { openAccount } from '../state/open-account.ts'
import { accounts, rankOf } from '../state/pool.ts'
import { strings } from '../words/strings.ts'
import { AccountFilters } from './accounts-filters.tsx'
import { useTableKeys } from './accounts-keys.ts'
import { FoundCount, PickedBar, Sums, TableMenu } from './accounts-sums.tsx'
import { AccountTable } from './accounts-table.tsx'
import { LazySetUp } from './lazy-parts.ts'
import './accounts-lines.css'

/** Table of all accounts with details of each. Before any account is known, it shows the set-up steps. */
export function Accounts({ title }: { readonly title: string }) {
  return status.value?.available === true ? <Table title={title} /> : <LazySetUp title={title} />
}

function Table({ title }: { readonly title: string }) {
  const selected = openAccount.value
  useTableKeys()
  useEffect(() => followPool(), [])
  // Content under the details is inert for keyboards and screen readers.
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
            <TableMenu />
            <Sums />
            <FoundCount />
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
        {selected !== null && <AccountDrawer account={selected} rank={rankOf(selected)} />}
      </div>
    </>
  )
}

/** Sets the heights of the page's header and of the filters as CSS properties, so that sticky content below them is not covered. */
function useStickyHeads(filters: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const root = document.documentElement
    const top = document.querySelector<HTMLElement>('.top')
    const find = filters.current
    if (top === null || find === null) return
    const measure = () => {
      root.style.setProperty('--top-height', `${top.offsetHeight}px`)
      root.style.setProperty('--find-height', `${find.offsetHeight}px`)
    }
    const observer = new ResizeObserver(measure)
    observer.observe(top)
    observer.observe(find)
    measure()
    return () => {
      observer.disconnect()
      root.style.removeProperty('--top-height')
      root.style.removeProperty('--find-height')
    }
  }, [])
}
