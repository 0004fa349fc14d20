import type { EpochMs } from './time.ts'

/** Reason the history store cannot be used as it should. A closed list, so that health can advise on each. */
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

/** The history store cannot be read, although it may still be written. */
export interface ReadFailure {
  readonly since: EpochMs
  /** Null if unknown. */
  readonly reason: HistoryFailureCode | null
}

/** Used and free space of a history in a file, in bytes. */
export interface FileUse {
  readonly freeBytes: number
  readonly roomBytes: number
  readonly usedBytes: number
  readonly requestCount: number
  /** Requests a day, averaged over the last kept days; null without any. */
  readonly requestsPerDay: number | null
  /** Time of the oldest request kept one by one; null without any. */
  readonly oldestRowAt: EpochMs | null
}

/** Space for a history in a file. */
export interface DiskRoom {
  readonly freeBytes: number
  /** Days until it is full; Infinity if it is not going to be, null while too little is known. */
  readonly fullInDays: number | null
}

/** State that only one engine reports. Sizes are in bytes. */
export type EngineState =
  | {
      readonly name: 'sqlite'
      /** Size of the write-ahead log: data written but not yet part of the main file. */
      readonly walBytes: number
      readonly use?: FileUse
    }
  | {
      readonly name: 'postgres'
      /** Version of the database server, as in `15.8`. */
      readonly serverVersion: string
      /** Tables of single requests: one per day. */
      readonly dayCount: number
      /** True if every user of this machine can read the password. */
      readonly isPasswordExposed?: boolean
    }

/** Engine of a store: a separate file, or a database server. */
export type EngineName = EngineState['name']

/** State of the history store, for either engine. */
export type HistoryState =
  | { readonly kind: 'off' }
  | { readonly kind: 'opening' }
  | {
      readonly kind: 'ok'
      readonly at: EpochMs
      /** Seconds of the last 24 h in which usage may have been missed. */
      readonly missedSeconds: number
      /** Seconds by which the oldest row exceeds the retention; null before anything was deleted. */
      readonly backlogSeconds: number | null
      /** Seconds that reads lag behind writes; 0 if both use the same database. */
      readonly lagSeconds: number
      /** True if another monitor of the same store takes records and queries quota; this one only reads. */
      readonly isStandby: boolean
      /** Null while the store can be read. */
      readonly readFailure: ReadFailure | null
      readonly engine: EngineState
      /** Left out before it was measured, and for a database, whose disk is not known here. */
      readonly disk?: DiskRoom
    }
  | {
      readonly kind: 'failing'
      readonly code: HistoryFailureCode
      readonly since: EpochMs
      readonly engine: EngineName
    }
