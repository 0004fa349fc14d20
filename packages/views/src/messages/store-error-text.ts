import type { EngineName, HistoryFailureCode } from '@svc/core/service'
import { clauseOf, storeCondition } from './conditions/conditions.ts'
import { databaseConditions, storeConditions } from './en/history-failures.ts'

const words = { file: storeConditions, database: databaseConditions }

/** Words a HistoryError as a clause: its own message, or the text of its code. */
export function storeErrorText({ code, message, engine = 'sqlite' }: StoreError): string {
  return message === code ? clauseOf(storeCondition(words, code, engine).summary) : message
}

interface StoreError {
  readonly code: HistoryFailureCode
  readonly message: string
  readonly engine?: EngineName
}

/** Recognises a store error by its name, so that SQLite need not be loaded. */
export function isStoreError(error: unknown): error is StoreError {
  return (
    error instanceof Error &&
    error.name === 'HistoryError' &&
    'code' in error &&
    String(error.code) in storeConditions
  )
}
