import type { DocumentRecorder, Recorder, RowRecorder } from '@svc/core/usage'
import { accountDirectoryOf } from '../usage/account-directory.ts'
import { decodeTree } from '../usage/usage-decoder.ts'
import { cpaManagerPlus } from './cpa-manager-plus.ts'
import { queueRecord, recordReader, SHARED_FIELDS } from './row-reader.ts'

/** The SQLite file of CPA Usage Keeper. */
const keeper: RowRecorder = {
  form: 'rows',
  tables: ['usage_events', 'usage_events_archive'],
  fields: [
    'event_key',
    'api_group_key',
    'timestamp',
    'status_code',
    'failure_status_code',
    ...SHARED_FIELDS,
  ],
  required: ['event_key', 'model', 'timestamp', 'auth_index', 'failed', 'input_tokens'],
  exportsLines: false,
  reader(context) {
    const read = recordReader(context)
    return (row) => {
      const { timestamp, api_group_key: api_key } = row
      // Newer versions name it without the prefix, also of a success.
      const status_code = row.failure_status_code ?? row.status_code
      return read(queueRecord(row, { timestamp, api_key, fail: { status_code } }), row.event_key)
    }
  },
}

/** The answer of `usage/export` of a proxy before v6.10. Its keys are those of a monitor that has read the same tree. */
const usageExport: DocumentRecorder = {
  form: 'document',
  reader({ accounts, now }) {
    const context = { receivedAt: now, directory: accountDirectoryOf({ accounts }) }
    return (chunks) => decodeTree(chunks, context)?.batches ?? null
  },
}

/** The programs whose records can be imported, by name. */
export const recorders = {
  keeper,
  'cpa-manager-plus': cpaManagerPlus,
  'usage-export': usageExport,
} as const satisfies Readonly<Record<string, Recorder>>

export type RecorderName = keyof typeof recorders
