import { privacy } from '../state/display-state.ts'

/** Path of a chart's numbers, which name clients, accounts or API keys. */
const USAGE = '/api/v1/stats/series'

/** In privacy mode, saves linked API files without names chosen by people. The returned function ends it. */
export function followSaves(): () => void {
  const onClick = (event: MouseEvent) => {
    if (!privacy.value || !(event.target instanceof Element)) return
    const link = event.target.closest<HTMLAnchorElement>('a[href]')
    const href = link?.getAttribute('href') ?? ''
    if (!href.startsWith(USAGE)) return
    event.preventDefault()
    // Nothing is saved while the monitor does not answer.
    import('./masked-file.ts').then(({ saveMasked }) => saveMasked(href)).catch(() => {})
  }
  document.addEventListener('click', onClick)
  return () => document.removeEventListener('click', onClick)
}
