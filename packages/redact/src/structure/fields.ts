import { isHarmless, isPlainValue } from '../names/harmless.ts'
import { looksSecret } from '../names/looks-secret.ts'
import type { NameRule } from '../names/secret-names.ts'
import type { SecretKind, Span } from '../span.ts'

/** A name or value as its document means it, and where it stands without its quotes. */
export interface Field {
  readonly start: number
  readonly end: number
  readonly value: string
}

/** The field between two offsets, without the signs at its ends. */
export function trimmedField(
  text: string,
  from: number,
  to: number,
  before: RegExp,
  behind = before,
): Field {
  let [start, end] = [from, to]
  while (end > start && behind.test(text[end - 1] ?? '')) end -= 1
  while (start < end && before.test(text[start] ?? '')) start += 1
  return { start, end, value: text.slice(start, end) }
}

/** Hides a value that stands in the text as it is. */
export function namedSpan(kind: SecretKind, start: number, value: string): Span {
  return { start, end: start + value.length, kind, value, certainty: 'named' }
}

/** Hides a field. `quote` is what its substitute needs around it, where it has none. */
export function fieldSpan(rule: NameRule, { start, end, value }: Field, quote?: string): Span {
  const isEmail = /^[^ \t\r\n@]{1,128}@[^ \t\r\n@]{1,255}$/.test(value)
  const span = { ...namedSpan(isEmail ? 'email' : rule.kind, start, value), end }
  return quote === undefined ? span : { ...span, quote }
}

const LOOPBACK = /^(?:127\.|::1$|localhost$|0\.0\.0\.0$)/
/** Paths of our own interface and of the proxy's. */
const OWN_PATH = /^\/(?:api|v\d|healthz|readyz|metrics|assets|v0)?(?:\/|$)/

/** True when a value must not stay under a name that a parser has found. */
export function hidesField(rule: NameRule, value: string, isText: boolean): boolean {
  if (isHarmless(value)) return false
  switch (rule.hides) {
    case 'always':
      return true
    case 'text':
      return isText && !isPlainValue(value) && !/^[A-Za-z]{1,12}$/.test(value)
    case 'likely':
      return isText && looksSecret(value)
    case 'field':
      if (!isText && rule.kind !== 'user') return rule.kind === 'secret' && /^\d{6,}$/.test(value)
      if (rule.kind === 'ip') return !LOOPBACK.test(value)
      if (/^\.{1,2}\//.test(value) || (rule.isOneWord === true && value.includes(' '))) return false
      if (rule.kind === 'path') return !OWN_PATH.test(value)
      return !/^-?\d{1,9}$/.test(value)
    default:
      return rule.hides satisfies never
  }
}
