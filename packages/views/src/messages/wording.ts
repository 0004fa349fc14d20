import { createZone, type Zone } from '../format/format.ts'
import { type Catalogue, english } from './en/catalogue.ts'

/** Texts of one language, with its times as people in one zone read them. */
export interface Wording extends Zone {
  readonly words: Catalogue
}

/** Makes the texts of one zone. Create it once and keep it. Throws RangeError for a zone the platform does not know. */
export function createWording(displayTimezone: string): Wording {
  return { ...createZone(displayTimezone), words: english }
}
