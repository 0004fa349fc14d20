import type { EpochMs } from './time.ts'

/** Why the history store cannot be used as it should. Closed, so that health can say what to do about each. */
export type HistoryFailureCode =
  | 'module_missing'
  | 'sqlite_too_old'
  | 'cannot_open'
  | 'unreachable'
  | 'not_trusted'
  | 'login_refused'
  | 'not_permitted'
  | 'server_too_old'
  | 'not_holder'
  | 'network_file_system'
  | 'not_a_database'
  | 'not_ours'
  | 'newer_version'
  | 'corrupt'
  | 'locked'
  | 'several_names'
  | 'busy'
  | 'read_only'
  | 'disk_full'
  | 'io_error'
  | 'replaced'
  | 'crashed'
  | 'not_answering'

/** The history store cannot be read, though it may be written. */
export interface ReadFailure {
  readonly since: EpochMs
  /** Null when the reader does not know. */
  readonly reason: HistoryFailureCode | null
}

/** What only the engine that keeps a store has to say of it. Sizes are in bytes. */
export type EngineState =
  | {
      readonly name: 'sqlite'
      /** What is written and not yet part of the file. */
      readonly walBytes: number
    }
  | {
      readonly name: 'postgres'
      /** As in `15.8`. */
      readonly serverVersion: string
      /** Tables of single requests: one a day. */
      readonly dayCount: number
      /** Every user of this machine can read the password. */
      readonly isPasswordExposed?: boolean
    }

/** What keeps a store: a file of its own, or a database server. */
export type EngineName = EngineState['name']

/** How the history store does, whatever engine keeps it. */
export type HistoryState =
  | { readonly kind: 'off' }
  | { readonly kind: 'opening' }
  | {
      readonly kind: 'ok'
      readonly at: EpochMs
      /** Of the last 24 h, how long usage may have been missed. */
      readonly missedSeconds: number
      /** How much older than the history reaches back its oldest row is; null before anything was forgotten. */
      readonly backlogSeconds: number | null
      /** How far what is read lags behind what is written; 0 where both are the same. */
      readonly lagSeconds: number
      /** Another monitor of the same store takes records and asks for quota; this one only reads. */
      readonly isStandby: boolean
      /** Null while it can be read. */
      readonly readFailure: ReadFailure | null
      readonly engine: EngineState
    }
  | {
      readonly kind: 'failing'
      readonly code: HistoryFailureCode
      readonly since: EpochMs
      readonly engine: EngineName
    }
