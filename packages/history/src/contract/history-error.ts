import type { EngineName, HistoryFailureCode } from '@svc/core/service'

/**
 * A failure of the store. The message is the code, which views translate, or a clause of our own if the case needs more than its code. It names no
 * path.
 */
export class HistoryError extends Error {
  override readonly name = 'HistoryError'
  readonly code: HistoryFailureCode
  /** Remedy as a sentence; null if the code is enough. */
  readonly remedy: string | null
  /** Engine of the store, because some codes mean something else for a database than for a file. */
  readonly engine: EngineName

  constructor(
    code: HistoryFailureCode,
    message: string = code,
    remedy: string | null = null,
    engine: EngineName = 'sqlite',
  ) {
    super(message)
    this.code = code
    this.remedy = remedy
    this.engine = engine
  }

  /** Message and remedy as one line for a person; null if the code is enough. */
  get detail(): string | null {
    return this.remedy === null ? null : `${this.message}. ${this.remedy}`
  }
}

/** The error of a path that leads to a folder, a pipe or a device. */
export function notAFile(): HistoryError {
  return new HistoryError(
    'cannot_open',
    'the path of the history store names something that is not a file',
  )
}

/** The error for rows that were neither stored nor already present. */
export function droppedRows(engine: EngineName): HistoryError {
  return new HistoryError(
    'not_permitted',
    'a trigger in the database drops rows of the history',
    'Remove the triggers from its tables.',
    engine,
  )
}
