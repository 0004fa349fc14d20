import { signal } from '@preact/signals'
import type { CapacityParts } from '@svc/views'
import { followAnswer } from './ask-regularly.ts'
import { chosenPart } from './live-data.ts'

/** Id of the window whose parts are open; null if none are. */
export const openParts = signal<string | null>(null)
/** The last answer about the parts of the shown quota; null before the first. */
export const quotaParts = signal<CapacityParts | null>(null)
export const quotaPartsFailed = signal(false)

const REFRESH_MS = 15_000

/** Address of the parts of the shown quota. */
export const quotaPartsPath = (): string =>
  `/api/v1/capacity${chosenPart.value === '' ? '' : `?${chosenPart.value}`}`

/** Requests the parts of the shown quota now, and regularly while the page is visible. The returned function ends this. */
export function followQuotaParts(): () => void {
  const stop = followAnswer(quotaPartsPath(), quotaParts, quotaPartsFailed, REFRESH_MS)
  return () => {
    stop()
    quotaParts.value = null
  }
}
