import { type NameRule, ruleOfName } from '../names/secret-names.ts'
import { isPseudonym } from '../pseudonyms.ts'
import { kindOf } from '../span.ts'
import { isNoValue } from '../text/named-values.ts'
import type { Redaction } from './redact-line.ts'

/** True for a value that its name hides. Numbers under the name of a count stay. */
export function hidesValue(rule: NameRule | null, value: string, isNumber: boolean): boolean {
  if (rule === null || isNoValue(value) || isPseudonym(value)) return false
  // A count of tokens or of accounts; a longer number of a person is an identifier.
  return !isNumber || rule === 'secret' || (rule === 'person' && value.length > 5)
}

/** The pseudonym of a whole value that its name hides; in the first pass it is remembered. */
export function hiddenValue(value: string, { pseudonyms, collected }: Redaction): string {
  collected?.addNamed(value)
  return collected === null ? pseudonyms.of(kindOf(value), value) : value
}

/** Members and columns in which the name of a neighbour stands. */
export const NAMING =
  /^(?:name|key|id|field|setting|option|param|parameter|property|header|variable)$/i
/** Members and columns that a neighbour may name. */
export const NAMED = /^(?:value|val|content|data)$/i

/** True for the name of a secret that stands where a value may stand as well. */
export function isSecretName(text: string): boolean {
  return text.length < 64 && /^[\p{L}_-][\p{L}\d_.-]*$/u.test(text) && ruleOfName(text) === 'secret'
}
