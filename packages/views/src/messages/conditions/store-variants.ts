import type { EngineName, HistoryFailureCode } from '@svc/core/service'
import type { Words } from './words.ts'

/** What is said of a failure of the store: by its code, and of a database other words for those that speak of a file. */
export interface StoreWords {
  readonly file: Readonly<Record<HistoryFailureCode, Words>>
  readonly database: Readonly<Partial<Record<HistoryFailureCode, Words>>>
}

/** The words of a failure, for what keeps the store. */
export function storeCondition(
  { file, database }: StoreWords,
  code: HistoryFailureCode,
  engine: EngineName,
): Words {
  return (engine === 'postgres' ? database[code] : undefined) ?? file[code]
}

/** The same as the variants of an action, by the names that `storeVariant` gives them. */
export function storeVariants({ file, database }: StoreWords): Readonly<Record<string, Words>> {
  const ofDatabase = Object.entries(database).map(([code, words]) => [ofDatabaseBy(code), words])
  return { ...file, ...Object.fromEntries(ofDatabase) }
}

/** Which of the variants a failure is; null where its reason is not known. */
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
