import { singleKeys } from './display-state.ts'

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
