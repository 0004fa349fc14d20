import { ALWAYS, type NameRule } from '../names/secret-names.ts'

/** Rows of a backup are lists without names: which element of which table is a secret or names a person. */
const ROWS: Readonly<Record<string, Readonly<Record<number, NameRule>>>> = {
  accounts: { 2: { kind: 'user', hides: 'always' } },
  usage: { 4: ALWAYS },
  apis: { 0: ALWAYS },
}

/** Knows the rows of our own backup by the name of their table. */
export interface OwnRows {
  open(name: string, isList: boolean, depth: number): void
  close(depth: number): void
  /** The rule of an element of a row, null outside of one. */
  ruleOf(index: number, value: string): NameRule | null
}

export function createOwnRows(): OwnRows {
  let tablesDepth: number | null = null
  let table: string | null = null
  let rowDepth: number | null = null
  let first = ''
  return {
    open(name, isList, depth) {
      if (tablesDepth === null && name === 'tables' && !isList) tablesDepth = depth
      else if (tablesDepth !== null && isList && depth === tablesDepth + 1) table = name
      else if (tablesDepth !== null && table !== null && isList && depth === tablesDepth + 2)
        rowDepth = depth
    },
    close(depth) {
      if (rowDepth === depth) rowDepth = null
      if (tablesDepth !== null && depth <= tablesDepth + 1) table = null
      if (tablesDepth !== null && depth <= tablesDepth) tablesDepth = null
    },
    ruleOf(index, value) {
      if (rowDepth === null || table === null) return null
      if (index === 0) first = value
      if (table === 'days') return first === 'api' && index === 3 ? ALWAYS : null
      if (table === 'meta') return /key$/.test(first) && index === 1 ? ALWAYS : null
      return ROWS[table]?.[index] ?? null
    },
  }
}
