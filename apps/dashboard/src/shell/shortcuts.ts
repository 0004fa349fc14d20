import { isForPage, nextTheme, privacy } from '../state/display-state.ts'
import { openAccount } from '../state/pool.ts'
import { refresh, refreshAccount } from '../state/refresh.ts'
import { goTo, viewHref } from '../state/route.ts'
import { views } from '../views/view-table.ts'
import { openSheet } from './lazy-sheets.tsx'

/** Handles the keys of the page itself; the table of accounts has its own. */
export function followKeys(): void {
  addEventListener('keydown', (event) => {
    if (isPaletteKey(event)) {
      event.preventDefault()
      openSheet.value = openSheet.value === 'palette' ? null : 'palette'
      return
    }
    if (!isForPage(event)) return
    const view = views.find(({ key }) => key === event.key)
    if (view !== undefined) return showView(view.id)
    switch (event.key) {
      case 'r':
        void refresh('default')
        break
      case 'R':
        if (openAccount.value !== null) void refreshAccount(openAccount.value.selector.accountKey)
        break
      case 'p':
        privacy.value = !privacy.value
        break
      case 't':
        nextTheme()
        break
      case '?':
        openSheet.value = 'shortcuts'
        break
      case '/':
        event.preventDefault()
        goTo(viewHref('accounts'))
        focusSearch()
    }
  })
}

/** Opens a view and moves the focus there, so that the next Tab leads into the view. */
function showView(id: string): void {
  goTo(viewHref(id))
  document.getElementById('view')?.focus()
}

function isPaletteKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k'
}

/** Focuses the search field, which exists once its view is shown. */
function focusSearch(): void {
  const field = document.getElementById('search')
  if (field === null) setTimeout(focusSearch, 20)
  else field.focus()
}
