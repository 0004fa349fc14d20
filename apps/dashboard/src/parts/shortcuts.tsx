import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { privacy, singleKeys, theme, themes } from '../state/display-state.ts'
import { refresh } from '../state/refresh.ts'
import { goTo, viewHref, viewIds } from '../state/route.ts'
import { strings } from '../words/strings.ts'
import { Icon } from './icon.tsx'

export const shortcutsOpen = signal(false)

/** The sheet of keys. */
export function Shortcuts() {
  const dialog = useRef<HTMLDialogElement>(null)
  const open = shortcutsOpen.value
  useEffect(() => {
    if (open) dialog.current?.showModal()
    else dialog.current?.close()
  }, [open])
  const close = () => {
    shortcutsOpen.value = false
  }
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="sheet-title" onClose={close}>
      <header>
        <h2 id="sheet-title">{strings.shortcuts}</h2>
        <button type="button" class="button square bare" aria-label={strings.close} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <dl class="pairs">
        {strings.keys.map(([keys, effect]) => (
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

/** Keys of the page itself; the table of accounts has its own. */
export function followKeys(): void {
  addEventListener('keydown', (event) => {
    if (!isForPage(event)) return
    const view = viewIds[Number(event.key) - 1]
    if (view !== undefined) return goTo(viewHref(view))
    switch (event.key) {
      case 'r':
        return void refresh('default')
      case 'p':
        privacy.value = !privacy.value
        return
      case 't':
        theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system'
        return
      case '?':
        shortcutsOpen.value = true
        return
      case '/':
        event.preventDefault()
        goTo(viewHref('accounts'))
        focusSearch()
        return
      default:
    }
  })
}

/** The field is there once the view is. */
function focusSearch(): void {
  const field = document.getElementById('search')
  if (field === null) setTimeout(focusSearch, 20)
  else field.focus()
}

/** Whether a key is meant for the page and not for a field, a dialog or the browser. */
export function isForPage(event: KeyboardEvent): boolean {
  if (!singleKeys.value || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
    return false
  const target = event.target
  return !(
    target instanceof Element &&
    target.closest('input:not([type=radio],[type=checkbox]), select, textarea, dialog[open]') !==
      null
  )
}
