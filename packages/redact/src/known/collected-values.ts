import { isPseudonym, kindOf, PSEUDONYM_WORD } from '../pseudonyms.ts'
import { ownCopy } from '../remembered.ts'
import { isNoValue } from '../text/named-values.ts'
import { hiddenIn } from '../text/run.ts'
import type { KnownValue } from './known-values.ts'

/** Minimum length of a value; shorter texts would match inside ordinary words. */
const LENGTH_MIN = 6
const CONFIGURED_LENGTH_MIN = 4
const LENGTH_MAX = 64 * 1024
/** Limit on the remembered values, so that memory is bounded whatever the files contain. */
const NAMED_LENGTH_MAX = 512 * 1024

/** Collects the secret and personal values of this run. */
export type CollectedValues = ReturnType<typeof createCollectedValues>

export function createCollectedValues() {
  const byValue = new Map<string, KnownValue>()
  let length = 0
  let leftOut = 0
  const add = (text: string) => {
    const value = ownCopy(text)
    byValue.set(value.toLowerCase(), { value, kind: kindOf(value), asWord: isCommon(value) })
  }
  return {
    /** Number of named values dropped because there were too many. They are hidden only next to their names. */
    get leftOut(): number {
      return leftOut
    },
    addConfigured(value: string): void {
      const plain = value.trim().slice(0, LENGTH_MAX)
      if (plain.length < CONFIGURED_LENGTH_MIN || isNoValue(plain)) return
      if (!PSEUDONYM_WORD.test(plain)) add(plain)
    },
    /** Adds a value that a file of the run names as a secret or as a person. */
    addNamed(value: string): void {
      const text = value.trim().slice(0, LENGTH_MAX)
      if (!isWorthKnowing(text) || byValue.has(text.toLowerCase())) return
      if (length + text.length > NAMED_LENGTH_MAX) leftOut += 1
      else {
        add(text)
        length += text.length
      }
    },
    values: (): readonly KnownValue[] => [...byValue.values()],
  }
}

const WORDS_JOINED = /^[./]{0,2}[A-Za-z]{2,}\d{0,2}(?:[-_./][A-Za-z]{2,}\d{0,2})*$/

function isWorthKnowing(value: string): boolean {
  return (
    value.length >= LENGTH_MIN &&
    !isNoValue(value) &&
    !isPseudonym(value) &&
    // Words of a name or a path are found in any file.
    (!WORDS_JOINED.test(value) || hiddenIn(value).length > 0) &&
    // Instants, sizes and rows of signs.
    !/^\d{4}-\d\d-\d\d/.test(value) &&
    !/^\d{1,5}(?:\.\d+)?$/.test(value) &&
    /[\p{L}\d]/u.test(value)
  )
}

/** True for a value that counts only as a whole word: a short one, a number or an ordinary word. */
function isCommon(value: string): boolean {
  return (
    value.length < 8 ||
    /^\d{1,15}$/.test(value) ||
    (value.length < 12 && /^(?:[A-Za-z]?[a-z]+|[A-Z]+)$/.test(value))
  )
}
