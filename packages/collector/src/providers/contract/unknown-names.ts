import type { WireRecord } from '../../wire/wire-fields.ts'

/** Most names kept of one answer. */
const NAMES_MAX = 16
const NAME_LENGTH_MAX = 48
/** Words of letters or short numbers, as fields and headers are named. Keys, ids and addresses are none: they mix letters and digits, or are long. */
const NAME =
  /^(?:[a-z]{1,16}\d{0,3}|\d{1,3}[a-z]{0,2})(?:[_.-](?:[a-z]{1,16}\d{0,3}|\d{1,3}[a-z]{0,2})){0,7}$/

/** A vendor's name for something; null for a text that may be a value or a secret. */
export function nameIn(text: string): string | null {
  const name = text.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
  return name.length <= NAME_LENGTH_MAX && NAME.test(name) ? name : null
}

/** Names of fields that have a value and are not among the known ones. */
export function unknownKeysIn(wire: WireRecord, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(wire).filter((key) => !known.has(key) && wire[key] !== null)
}

/** The member of a sample for these names; none without any. */
export function unknownNamesOf(names: readonly string[]): { unknownNames?: readonly string[] } {
  const found = new Set(names.flatMap((name) => nameIn(name) ?? []))
  return found.size === 0 ? {} : { unknownNames: [...found].sort().slice(0, NAMES_MAX) }
}
