import { isRandomText, readsLikeWords } from '../patterns/tokens.ts'
import { isPlainValue } from './harmless.ts'

const LENGTH_MIN = 8

/** True for a value that may well be a secret, where its name leaves that open (`key`, `state`, `code`); false for words, numbers, paths, dates and identifiers. */
export function looksSecret(value: string): boolean {
  const text = value.trim()
  if (text.length < LENGTH_MIN || isPlainValue(text) || /[ \t\r\n]/.test(text)) return false
  if (
    /^(?:\.{0,2}\/|[A-Za-z]+:\/\/|[A-Za-z]:\\)/.test(text) ||
    /^[\w.-]+\.(?:json|toml|yaml|yml|ts|js|md|txt|db|pem|crt)$/.test(text)
  )
    return false
  if (/^[\d.:a-f[\]]+$/i.test(text) && /[.:]/.test(text)) return false
  // An identifier of ours: the stable key of an account.
  if (/^[0-9a-f]{16}$/.test(text)) return false
  if (/^[a-z]+(?:[-_:./ ][a-z0-9]+)*$/i.test(text))
    return text.length >= 16 && !readsLikeWords(text) && isRandomText(text, 20)
  return /\d/.test(text) || isRandomText(text, 20)
}
