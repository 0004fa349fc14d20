import type { Pseudonyms } from '../pseudonyms.ts'
import type { Part } from './parts.ts'

/** Puts a document together again, with pseudonyms. */
export function createRendering(pseudonyms: Pseudonyms): (parts: readonly Part[]) => string {
  let isMarkup: boolean | null = null
  return (parts) => {
    let out = ''
    for (const part of parts) {
      if (part.kind === 'text') {
        if (isMarkup === null && part.text.trim() !== '')
          isMarkup = /^(?:\xef\xbb\xbf)?[ \t\r\n]*<(?:[?!]|[A-Za-z])/.test(part.text)
        out += part.text
      } else if (!part.goesOn) {
        const { kind, value, quote = '' } = part.span
        const pseudonym = pseudonyms.of(kind, value)
        out +=
          quote +
          (isMarkup === true ? pseudonym.replace(/^<(.*)>$/, '&lt;$1&gt;') : pseudonym) +
          quote
      }
    }
    return out
  }
}
