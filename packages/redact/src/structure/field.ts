import { isHarmless, isPlainValue } from '../names/harmless.ts'
import { looksSecret } from '../names/looks-secret.ts'
import type { NameRule } from '../names/secret-names.ts'

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
