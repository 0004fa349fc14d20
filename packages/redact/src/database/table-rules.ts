import { ALWAYS, type NameRule, ruleOfName } from '../names/secret-names.ts'

/** Columns of our own store, whose names alone do not say what they hold. */
const OWN: Readonly<Record<string, NameRule | null>> = {
  'accounts.key': null,
  'accounts.title': { kind: 'user', hides: 'always' },
  'api_names.name': ALWAYS,
}
/** Rows of our own `meta`: the key from which fingerprints of clients are made, and accounts with all their names. */
const META_SECRET = /key$|^account /

export interface Row {
  readonly [column: string]: unknown
}

/** The rule of a cell by its column, by a neighbour that names it, and by what we know of our own tables. */
export function ruleOfCell(table: string, column: string, row: Row): NameRule | null {
  const own = OWN[`${table.toLowerCase()}.${column.toLowerCase()}`]
  if (own !== undefined) return own
  if (/^(?:value|val|content|data)$/i.test(column)) {
    const naming = Object.entries(row).find(
      ([name, value]) =>
        /^(?:name|key|id|field|setting|option|param|property)$/i.test(name) &&
        typeof value === 'string',
    )
    const name = String(naming?.[1] ?? '')
    if (table === 'meta' && META_SECRET.test(name)) return ALWAYS
    const rule = ruleOfName(name)
    if (rule?.hides === 'always') return rule
  }
  return ruleOfName(column)
}
