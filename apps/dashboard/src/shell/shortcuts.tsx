import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { setter } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { isForPage, nextTheme, privacy, singleKeys } from '../state/display-state.ts'
import { openAccount } from '../state/pool.ts'
import { refresh, refreshAccount } from '../state/refresh.ts'
import { goTo, viewHref } from '../state/route.ts'
import { views } from '../views/view-table.ts'
import { strings } from '../words/strings.ts'
import { openSheet } from './lazy-sheets.tsx'

export const shortcutsOpen = signal(false)

/** Range of the views' keys, such as `1 – 5`. */
const viewKeys = `${views[0].key} – ${views.findLast(({ key }) => key)?.key}`

export function Shortcuts() {
  const dialog = useRef<HTMLDialogElement>(null)
  const open = shortcutsOpen.value
  useEffect(() => {
    if (open) dialog.current?.showModal()
    else dialog.current?.close()
  }, [open])
  const close = setter(shortcutsOpen, false)
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="sheet-title" onClose={close}>
      <header>
        <h2 id="sheet-title">{strings.shortcuts}</h2>
        <button type="button" class="button square bare" aria-label={strings.close} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <dl class="pairs">
        {[[viewKeys, strings.viewsLabel] as const, ...strings.keys].map(([keys, effect]) => (
          <div key={keys}>
            <dt>{effect}</dt>
            <dd>
              <kbd>{keys}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => {
            singleKeys.value = event.currentTarget.checked
          }}
        />
        {strings.singleKeys}
      </label>
    </dialog>
  )
}

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
        shortcutsOpen.value = true
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
