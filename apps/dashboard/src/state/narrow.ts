import { signal } from '@preact/signals'

const narrowWindow = matchMedia('(max-width: 900px)')

/** Whether the page is one column. */
export const isNarrow = signal(narrowWindow.matches)

narrowWindow.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches
})
