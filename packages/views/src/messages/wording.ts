import { chineseTimes } from '../format/chinese-times.ts'
import { englishTimes } from '../format/english-times.ts'
import { createZone, type TimeTexts, type Zone } from '../format/format.ts'
import type { Language } from '../language/language.ts'
import { type Catalogue, english } from './en/catalogue.ts'
import { chinese } from './zh-cn/catalogue.ts'

/** Texts of one language, including times in one zone. */
export interface Wording extends Zone {
  readonly language: Language
  readonly words: Catalogue
}

const times: Readonly<Record<Language, TimeTexts>> = { en: englishTimes, 'zh-CN': chineseTimes }
const catalogues: Readonly<Record<Language, Catalogue>> = { en: english, 'zh-CN': chinese }

/** Creates the texts of one zone in one language. Create once and keep. Throws RangeError for a zone the platform does not know. */
export function createWording(displayTimezone: string, language: Language = 'en'): Wording {
  return {
    ...createZone(displayTimezone, times[language]),
    language,
    words: catalogueOf(language),
  }
}

export function catalogueOf(language: Language): Catalogue {
  return catalogues[language]
}
