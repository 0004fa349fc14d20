import { useLayoutEffect } from 'preact/hooks'
import { isForPage } from '../state/page-keys.ts'
import { closeAccount, goTo, route } from '../state/route.ts'

/** `j` and `k` go through the rows; the details follow once they are open. */
export function useTableKeys(): void {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (
        event.key === 'Escape' &&
        route.value.account !== null &&
        !(event.target instanceof Element && event.target.closest('dialog[open], details[open]'))
      ) {
        const link = document.querySelector<HTMLElement>('tr.selected .open')
        closeAccount()
        link?.focus()
        return
      }
      const step = { j: 1, k: -1 }[event.key]
      if (step === undefined || !isForPage(event)) return
      const links = [...document.querySelectorAll<HTMLAnchorElement>('.accounts .open')]
      const focused = links.findIndex((link) => link.matches(':focus'))
      const selected = links.findIndex((link) => link.closest('tr.selected') !== null)
      const from = focused >= 0 ? focused : selected
      const next = links[from < 0 ? 0 : from + step]
      if (next === undefined) return
      next.focus()
      next.closest('tr')?.scrollIntoView({ block: 'nearest' })
      if (route.value.account !== null) goTo(next.hash, { replace: true })
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}
