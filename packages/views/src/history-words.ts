import type { EpochMs, HealthAction, HistoryFailureCode } from '@svc/core'
import { compactText } from './usage-text.ts'
import { durationText, type WireText } from './wire-text.ts'

/** One thing to do, in words: what is wrong (`summary`, `detail`) and what to do about it (`note`, one imperative sentence). */
export interface ActionWords {
  readonly kind: 'auth' | 'quota' | 'threshold' | 'gateway' | 'upstream' | 'history' | 'config'
  readonly title: string
  readonly badge: string
  readonly summary: string
  readonly detail?: string
  readonly note: string
}

type HistoryAction = Extract<
  HealthAction,
  {
    readonly code:
      | 'history_failing'
      | 'history_unreadable'
      | 'history_wal_large'
      | 'history_backlog'
      | 'usage_missed'
      | 'usage_statistics_off'
      | 'usage_rival'
      | 'usage_retention_short'
  }
>

/** What the keeping of usage asks of the operator. */
export function historyActionWords(action: HistoryAction, now: EpochMs, text: WireText): ActionWords {
  switch (action.code) {
    case 'history_failing':
      return {
        kind: 'history',
        title: 'History is not written',
        badge: 'Store',
        ...storeWords[action.reason],
        detail: `Since ${text.momentText(action.since, now)}. Nothing is taken out of the proxy meanwhile, and it is tried again by itself.`,
      }
    case 'history_unreadable':
      return {
        kind: 'history',
        title: 'History is not read',
        badge: 'Store',
        ...(action.reason === null ? unknownReadFailure : storeWords[action.reason]),
        detail: `Since ${text.momentText(action.since, now)}. Usage is stored as before. Charts and totals are missing, or older than that.`,
      }
    case 'history_wal_large':
      return {
        kind: 'history',
        title: 'WAL file of the history grows',
        badge: 'Store',
        summary: `It holds ${compactText(action.walBytes)}B, because another program keeps reading the store.`,
        note: 'End whatever has the history store open for so long.',
      }
    case 'history_backlog':
      return {
        kind: 'history',
        title: 'Old history is deleted slowly',
        badge: 'Backlog',
        summary: `The oldest rows are ${durationText(action.backlogSeconds)} older than usage_retention_days keeps them.`,
        detail: 'They are deleted little by little, so that new usage never waits.',
        note: 'Wait, or move state_db to a faster disk if this stays.',
      }
    case 'usage_missed':
      return {
        kind: 'history',
        title: 'Usage was missed',
        badge: 'Gap',
        summary: `In the last 24 h usage may be missing for ${durationText(action.missedSeconds)} in all.`,
        detail: 'Nobody asked the proxy for longer than it keeps records, a batch was lost on its way, or another program took records.',
        note: 'Raise redis-usage-queue-retention-seconds in the configuration of the proxy, up to 3600.',
      }
    case 'usage_statistics_off':
      return {
        kind: 'history',
        title: 'Usage statistics are off',
        badge: 'Off',
        summary: 'The proxy records no usage, so there is none to keep.',
        note: 'Set usage-statistics-enabled: true in the configuration of the proxy.',
      }
    case 'usage_rival':
      return {
        kind: 'history',
        title: 'Usage goes elsewhere',
        badge: 'Shared queue',
        summary: 'The proxy has counted more requests than its usage queue handed to this monitor: another program seems to read it.',
        detail:
          'The queue gives each record to one reader only. What is missing is counted. The action stays until ten minutes have passed without a loss. Requests that only count tokens leave no record either.',
        note: 'Let one program alone read the usage queue, or set usage_source = "off" here.',
      }
    case 'usage_retention_short':
      return {
        kind: 'history',
        title: 'Usage is kept too briefly',
        badge: 'Retention',
        summary: `The proxy keeps unread usage for ${durationText(action.retentionSeconds)}; less than ${durationText(action.neededSeconds)} loses some at the first hiccup.`,
        note: 'Raise redis-usage-queue-retention-seconds in the configuration of the proxy, up to 3600.',
      }
    default:
      return action satisfies never
  }
}

const unknownReadFailure = {
  summary: 'Reading the store fails, and the reader cannot tell why.',
  note: 'Run doctor, which checks the store; restart the service if it finds nothing.',
}

const storeWords: Readonly<Record<HistoryFailureCode, { readonly summary: string; readonly note: string }>> = {
  module_missing: {
    summary: 'The SQLite module (better-sqlite3) is not installed or was not built here.',
    note: 'Install it with its build script allowed, then restart; doctor tells more.',
  },
  sqlite_too_old: { summary: 'The SQLite library is older than 3.51.3 and may damage the store.', note: 'Install a newer better-sqlite3.' },
  cannot_open: {
    summary: 'The file that state_db names cannot be opened.',
    note: 'Check that its folder exists and that the service may write there.',
  },
  network_file_system: {
    summary: 'The store lies on a network file system, where it cannot be locked.',
    note: 'Move state_db to a local disk.',
  },
  not_a_database: {
    summary: 'The file that state_db names is no SQLite database; it was left as it is.',
    note: 'Point state_db elsewhere.',
  },
  not_ours: { summary: 'The database that state_db names is of another program; it was left as it is.', note: 'Point state_db elsewhere.' },
  newer_version: { summary: 'A newer version has written the store; it was left as it is.', note: 'Update the monitor.' },
  corrupt: {
    summary: 'The store is damaged; it was left as it is.',
    note: 'Stop the service, move the file away and import the last export.',
  },
  locked: { summary: 'Another monitor uses the store.', note: 'Run one service per store.' },
  several_names: {
    summary: 'The file of the store has a second name (a hard link), under which another program would damage it.',
    note: 'Remove the other name; a copy that is no link may stay.',
  },
  busy: { summary: 'Another program holds the store locked.', note: 'End it, or wait.' },
  read_only: { summary: 'The store cannot be written.', note: 'Give the service write permission to the file and its folder.' },
  disk_full: { summary: 'There is no space left on its disk.', note: 'Free some space.' },
  io_error: { summary: 'The disk under it reports errors.', note: 'Look at the disk, and at the log of the system.' },
  crashed: { summary: 'The part of the service that writes it ended and is started again.', note: 'Look at the log if this stays.' },
  not_answering: {
    summary: 'The store does not answer.',
    note: 'Check the disk that holds state_db; a process that hangs on it shows state D in ps.',
  },
  replaced: { summary: 'The file of the store was deleted or replaced while it was in use.', note: 'Restart the service.' },
}
