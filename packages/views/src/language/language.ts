/** The languages texts are worded in, as BCP 47 tags. */
export const languages = ['en', 'zh-CN'] as const
/** A language texts are worded in. */
export type Language = (typeof languages)[number]

/** The language that a BCP 47 tag is worded in: English where there is no closer one. Any Chinese is worded in simplified Chinese. */
export function languageOf(tag: string): Language {
  return /^zh(?:-|$)/i.test(tag) ? 'zh-CN' : 'en'
}
