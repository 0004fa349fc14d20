import { privacy } from '../state/display-state.ts'
import { hideNamesInCsv, hideNamesInJson } from '../state/hidden-names.ts'
import { strings } from '../words/strings.ts'

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
    void saveMasked(href)
  }
  document.addEventListener('click', onClick)
  return () => document.removeEventListener('click', onClick)
}

async function saveMasked(href: string): Promise<void> {
  const answer = await fetch(href, { cache: 'no-store' }).catch(() => null)
  if (answer?.ok !== true) return
  const type = answer.headers.get('Content-Type') ?? ''
  const text = await answer.text()
  const isJson = type.includes('json')
  const masked = isJson ? hideNamesInJson(text) : hideNamesInCsv(text)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([masked], { type }))
  link.download = `${strings.savedName}.${isJson ? 'json' : 'csv'}`
  link.click()
  URL.revokeObjectURL(link.href)
}
