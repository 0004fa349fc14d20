import type { EngineName, HistoryFailureCode } from '@svc/core/service'
import { clauseOf, storeCondition, type Words } from '../conditions/conditions.ts'

/** Reason and remedy for each failure of the history store, worded for a file. `databaseConditions` overrides some of them for a database. */
export const storeConditions: Readonly<Record<HistoryFailureCode, Words>> = {
  module_missing: {
    summary:
      'The SQLite module (better-sqlite3) is not installed or was not built on this machine.',
    remedy: 'Install it with its build script allowed, then restart; doctor shows the command.',
  },
  sqlite_too_old: {
    summary: 'The SQLite library is older than 3.51.3 and may damage the store.',
    remedy: 'Update Node or better-sqlite3, whichever doctor names.',
  },
  cannot_open: {
    summary: 'The history store cannot be opened.',
    remedy: 'Check that the folder of state_db exists and that the service may write there.',
  },
  unreachable: {
    summary: 'The database that keeps the history cannot be reached.',
    remedy: 'Check that it runs, and that state_db names its address.',
  },
  not_trusted: {
    summary:
      'The database that keeps the history does not encrypt, or cannot prove that it is the one that is meant.',
    remedy:
      'Give it a certificate for its host name; sslrootcert in state_db names the certificate of an authority of your own.',
  },
  login_refused: {
    summary: 'The database that keeps the history refuses the login.',
    remedy:
      'Check the user in state_db, and the password in state_db_password_file, PGPASSFILE or PGPASSWORD; init postgres-hba prints the lines of pg_hba.conf that let it in.',
  },
  not_permitted: {
    summary: 'The database does not let this user keep the history.',
    remedy: 'Make the user the owner of the schema svc_quota_monitor; init postgres writes how.',
  },
  server_too_old: {
    summary: 'The database that keeps the history is older than PostgreSQL 15.',
    remedy: 'Point state_db at a newer one.',
  },
  not_holder: {
    summary: 'Another monitor of the same store took over.',
    remedy: 'Nothing; it takes the records now.',
  },
  network_file_system: {
    summary: 'The history store is on a network file system, where SQLite cannot lock it.',
    remedy: 'Move state_db to a disk of this machine.',
  },
  not_a_database: {
    summary: 'The file that state_db names is not an SQLite database; it was left as it is.',
    remedy: 'Point state_db at another file, or move this one away.',
  },
  not_ours: {
    summary: 'The database that state_db names belongs to another program; it was left as it is.',
    remedy: 'Point state_db at a file of its own.',
  },
  newer_version: {
    summary: 'A newer version of this program wrote the history store; it was left as it is.',
    remedy:
      'Update this program, or point state_db at another file; doctor says how to go back to the copy made before the update.',
  },
  corrupt: {
    summary: 'The history store is damaged; it was left as it is.',
    remedy: 'Stop the service, move the file away and import the last export.',
  },
  locked: {
    summary: 'Another monitor uses the store.',
    remedy: 'Stop the other service, or give each one a state_db of its own.',
  },
  several_names: {
    summary:
      'The file of the history store has a second name (a hard link), under which another program would damage it.',
    remedy: 'Remove the other name; a copy that is not a link may stay.',
  },
  busy: {
    summary: 'Another program keeps the history store locked.',
    remedy: 'Stop that program, or wait.',
  },
  read_only: {
    summary: 'The store cannot be written.',
    remedy: 'Give the service write permission for the file and its folder.',
  },
  disk_full: {
    summary: 'There is no space left for the history store.',
    remedy: 'Free some space on its disk, or move state_db to another disk.',
  },
  io_error: {
    summary: 'The disk under the history store reports errors.',
    remedy: 'Check the disk and the system log.',
  },
  crashed: {
    summary: 'The thread that writes the history store ended and is started again.',
    remedy: 'Check the log if this stays.',
  },
  not_answering: {
    summary: 'The store does not answer.',
    remedy: 'Check the disk that holds state_db; a process that hangs on it shows state D in ps.',
  },
  replaced: {
    summary: 'The file of the history store was deleted or replaced while it was in use.',
    remedy: 'Restart the service.',
  },
}

/** Words that replace those of `storeConditions` for a database. */
export const databaseConditions = {
  module_missing: {
    summary: 'The PostgreSQL driver (pg) is not installed.',
    remedy: 'Install svc-quota-monitor again without --omit=optional, then restart.',
  },
  cannot_open: {
    summary: 'The database that keeps the history cannot be used.',
    remedy: 'Check that it exists and that state_db_password_file can be read; doctor says which.',
  },
  newer_version: {
    summary:
      'A newer version of this program made the tables of the history; they were left as they are.',
    remedy: 'Update this program, or point state_db at another database.',
  },
  corrupt: {
    summary: 'The database that keeps the history reports damage.',
    remedy: 'Look into the log of the database, and restore its last backup.',
  },
  busy: {
    summary: 'The database that keeps the history is locked, or lets nobody else in.',
    remedy: 'Look for what keeps it locked, or raise max_connections.',
  },
  read_only: {
    summary: 'The database that keeps the history takes no writes.',
    remedy:
      'Point state_db at the primary server, as a standby belongs into state_db_replica; on a primary take default_transaction_read_only back.',
  },
  disk_full: {
    summary: 'The database that keeps the history has no space left.',
    remedy: 'Make room where the database keeps its data.',
  },
  io_error: {
    summary: 'The database that keeps the history cannot read or write its data.',
    remedy: 'Check the machine of the database and its log.',
  },
  not_answering: {
    summary: 'The database that keeps the history does not answer.',
    remedy: 'Check its machine, and the network to it.',
  },
} as const satisfies Readonly<Partial<Record<HistoryFailureCode, Words>>>

/** Failures whose words differ for a database. */
export type DatabaseCode = keyof typeof databaseConditions

export const storeWords = { file: storeConditions, database: databaseConditions }

/** Words a HistoryError as a clause: its own message, or the text of its code. */
export function storeErrorText({ code, message, engine = 'sqlite' }: StoreError): string {
  return message === code ? clauseOf(storeCondition(storeWords, code, engine).summary) : message
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
