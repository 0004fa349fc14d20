import type { EpochMs } from './time.ts'

/** Reason the history store cannot be used fully. A closed list, so that health can advise on each. */
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

/** Failure to read the history store, which may still be writable. */
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
  /** Requests per day, averaged over the newest days in the history; null without any. */
  readonly requestsPerDay: number | null
  /** Time of the oldest request stored individually; null without any. */
  readonly oldestRowAt: EpochMs | null
}

/** Disk space for a history in a file. */
export interface DiskRoom {
  readonly freeBytes: number
  /** Days until the disk is full; Infinity if it will not fill up, null while too little is known. */
  readonly fullInDays: number | null
}

/** Usage without a price, while it is too much. */
export interface UnpricedUsage {
  /** Part of the tokens of the last 7 days, 0..1, as seen last. */
  readonly share: number
  /** Time of the first look that found too much; every look since then did. */
  readonly since: EpochMs
  readonly seenAt: EpochMs
}

/** State specific to one engine. Sizes are in bytes. */
export type EngineState =
  | {
      readonly name: 'sqlite'
      /** Size of the write-ahead log: written data that is not yet in the main file. */
      readonly walBytes: number
      readonly use?: FileUse
    }
  | {
      readonly name: 'postgres'
      /** Version of the database server, such as `15.8`. */
      readonly serverVersion: string
      /** Number of tables of individual requests, one per day. */
      readonly dayCount: number
      /** True if every user of this machine can read the password. */
      readonly isPasswordExposed?: boolean
    }

/** Engine of a store: a local file, or a database server. */
export type EngineName = EngineState['name']

/** State of the history store. */
export type HistoryState =
  | { readonly kind: 'off' }
  | { readonly kind: 'opening' }
  | {
      readonly kind: 'ok'
      readonly at: EpochMs
      /** Seconds of the last 24 h in which usage may have been missed. */
      readonly missedSeconds: number
      /** Age of the oldest row beyond the retention, in seconds; null before the first deletion. */
      readonly backlogSeconds: number | null
      /** Seconds by which reads lag behind writes; 0 if both use the same database. */
      readonly lagSeconds: number
      /** True if another monitor of the same store takes usage records and queries quota, so that this one only reads. */
      readonly isStandby: boolean
      readonly readFailure: ReadFailure | null
      readonly engine: EngineState
      /** Omitted until measured, and for a database server, whose disk is unknown. */
      readonly disk?: DiskRoom
      /** Omitted without prices, and while they cover enough of the usage. */
      readonly unpriced?: UnpricedUsage
    }
  | {
      readonly kind: 'failing'
      readonly code: HistoryFailureCode
      readonly since: EpochMs
      readonly engine: EngineName
    }
