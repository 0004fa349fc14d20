import { describe, expect, it } from 'vitest'
import { languageOf } from './language.ts'

describe('the language of a tag', () => {
  it.each([
    { tag: 'zh-CN', language: 'zh-CN' },
    { tag: 'zh', language: 'zh-CN' },
    { tag: 'ZH-hans-cn', language: 'zh-CN' },
    { tag: 'en-GB', language: 'en' },
    { tag: 'fr', language: 'en' },
    { tag: 'zha', language: 'en' },
    { tag: '', language: 'en' },
  ])('of "$tag" is $language', ({ tag, language }) => {
    expect(languageOf(tag)).toBe(language)
  })
})
