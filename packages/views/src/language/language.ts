/** Languages of all texts, as BCP 47 tags. */
export const languages = ['en', 'zh-CN'] as const
/** One of the supported languages. */
export type Language = (typeof languages)[number]

/** The supported language closest to a BCP 47 tag: simplified Chinese for every variety of Chinese, else English. */
export function languageOf(tag: string): Language {
  return /^zh(?:-|$)/i.test(tag) ? 'zh-CN' : 'en'
}
