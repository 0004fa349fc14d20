import { commonWords } from './common-words.ts'
import { chinesePairs, productWords } from './product-words.ts'

const WORDS: ReadonlySet<string> = new Set(`${commonWords} ${productWords}`.trim().split(/\s+/))
const PAIRS: ReadonlySet<string> = new Set(chinesePairs.replace(/\s/g, '').match(/../gu))

/** A word or a number inside of a name: `quotaWindows`, `HTTPServer`, `window2`. */
const PARTS = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g
const PARTS_MAX = 6
const HAN = /^\p{Script=Han}+$/u

/** True for letters and digits that give nothing away: a word of the vocabulary, or several joined as in a name. */
export function isHarmlessWord(atom: string): boolean {
  if (WORDS.has(atom.toLowerCase())) return true
  if (HAN.test(atom)) return isChinese(atom)
  const parts = atom.match(PARTS)
  if (parts === null || parts.length < 2 || parts.length > PARTS_MAX) return false
  const words = parts.filter((part) => !/^\d/.test(part))
  const numbers = parts.length - words.length
  return (
    numbers <= 1 &&
    parts.every((part) => !/^\d{3}/.test(part)) &&
    parts.join('') === atom &&
    words.filter(({ length }) => length < 3).length <= Math.max(1, words.length / 3) &&
    words.some(({ length }) => length > 3) &&
    words.every((word) => WORDS.has(word.toLowerCase()))
  )
}

function isChinese(text: string): boolean {
  for (let at = 0; at + 1 < text.length; at += 1)
    if (!PAIRS.has(text.slice(at, at + 2))) return false
  return text.length > 1 || chinesePairs.includes(text)
}
