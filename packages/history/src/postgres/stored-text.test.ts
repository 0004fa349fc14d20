import { expect, it } from 'vitest'
import { storedText } from './stored-text.ts'

it.each([
  ['whole "text" with 𝕏 and é', 'whole "text" with 𝕏 and é'],
  ['\0a\0', '\uFFFDa\uFFFD'],
  ['\uD83D', '\uFFFD'],
  ['\uDE00x', '\uFFFDx'],
  ['', ''],
])('%j is stored as %j', (text, stored) => {
  expect(storedText(text)).toBe(stored)
})
