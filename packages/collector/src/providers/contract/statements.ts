import { isRecord, recordIn } from '../../wire/wire-fields.ts'
import { nameIn } from './quota-answer.ts'

const HEADERS_MAX = 200

/** Headers given as a text or a list of texts, by their names in lower case; all others are dropped. */
export function headerTextsOf(headers: unknown): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const [name, values] of Object.entries(recordIn(headers)).slice(0, HEADERS_MAX)) {
    const value: unknown = Array.isArray(values) ? values[0] : values
    if (typeof value === 'string') texts.set(name.toLowerCase(), value)
  }
  return texts
}

/**
 * Meaning of a vendor's statement about one limit. `spend`: paid use beyond the plan has ended. `nothing`: the word is known, but no rule uses it.
 */
type Meaning = 'allowed' | 'refused' | 'spend' | 'nothing'

/**
 * A vendor's statements about a limit: for each field (snake case), the meaning of each value in lower case. A field with a value `true` is a flag.
 */
export type Statements = Readonly<Record<string, Readonly<Record<string, Meaning>>>>

/** Everything that a vendor states in words about a limit, read in the same way from answers, headers, the list's signals and records. */
export interface QuotaStatement {
  /** A refusal takes precedence over an allowance. */
  readonly word: 'allowed' | 'refused' | 'silent'
  readonly spendReached: boolean
  /** Fields with an unknown value; the value itself if the field is a type rather than a flag. */
  readonly unknownNames: readonly string[]
}

/** Meanings of a flag that allows, and of one that refuses. */
export const FLAG = { true: 'allowed', false: 'refused' } as const satisfies Statements[string]
export const FLAG_OF_REFUSAL = { true: 'refused', false: 'allowed' } as const

/** Reads the statements about a limit with the vendor's table. */
export function statementIn(
  statements: Statements,
  fieldOf: (field: string) => unknown,
): QuotaStatement {
  const unknownNames: string[] = []
  const meanings: Meaning[] = []
  for (const [field, values] of Object.entries(statements)) {
    const word = wordOf(fieldOf(field))
    if (word === '') continue
    if (Object.hasOwn(values, word)) meanings.push(values[word] ?? 'nothing')
    else unknownNames.push((Object.hasOwn(values, 'true') ? null : nameIn(word)) ?? field)
  }
  const says = (meaning: Meaning) => meanings.includes(meaning)
  return {
    word: says('refused') ? 'refused' : says('allowed') ? 'allowed' : 'silent',
    spendReached: says('spend'),
    unknownNames,
  }
}

/** The fields of a sample for the account's statement; `statement` is null if the vendor makes none. */
export function statedIn(statement: Pick<QuotaStatement, 'word'> | null) {
  return {
    limitReached: statement?.word === 'refused',
    ...(statement?.word === 'allowed' && { allowed: true as const }),
  }
}

/** A word in lower case, alone or as the `type` of an object; empty for none. */
export function wordOf(wire: unknown): string {
  const value = isRecord(wire) ? wire.type : wire
  return typeof value === 'string' || typeof value === 'boolean'
    ? String(value).trim().toLowerCase()
    : ''
}
