import type { EngineName, HistoryFailureCode } from '@svc/core/service'
import type { Words } from './words.ts'

/** Words for each failure of the store. `database` replaces words that mention a file. */
export interface StoreWords {
  readonly file: Readonly<Record<HistoryFailureCode, Words>>
  readonly database: Readonly<Partial<Record<HistoryFailureCode, Words>>>
}

/** Words for a failure of a store on this engine. */
export function storeCondition(
  { file, database }: StoreWords,
  code: HistoryFailureCode,
  engine: EngineName,
): Words {
  return (engine === 'postgres' ? database[code] : undefined) ?? file[code]
}

/** Words of a store failure as variants of an action, keyed by the results of `storeVariant`. */
export function storeVariants({ file, database }: StoreWords): Readonly<Record<string, Words>> {
  const ofDatabase = Object.entries(database).map(([code, words]) => [ofDatabaseBy(code), words])
  return { ...file, ...Object.fromEntries(ofDatabase) }
}

/** Variant name of a failure; null if its reason is unknown. */
export function storeVariant(
  { database }: StoreWords,
  reason: HistoryFailureCode | null,
  engine: EngineName,
): string | null {
  const isOfDatabase = reason !== null && engine === 'postgres' && database[reason] !== undefined
  return isOfDatabase ? ofDatabaseBy(reason) : reason
}

function ofDatabaseBy(code: string): string {
  return `${code} of a database`
}
