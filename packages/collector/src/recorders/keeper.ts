import type { RowRecorder } from '@svc/core/usage'
import { queueRecord, recordReader, SHARED_FIELDS } from './row-reader.ts'

/** The SQLite file of CPA Usage Keeper. */
export const keeper: RowRecorder = {
  form: 'rows',
  tables: ['usage_events', 'usage_events_archive'],
  fields: ['event_key', 'api_group_key', 'timestamp', 'failure_status_code', ...SHARED_FIELDS],
  required: ['event_key', 'model', 'timestamp', 'auth_index', 'failed', 'input_tokens'],
  exportsLines: false,
  reader(context) {
    const read = recordReader(context)
    return (row) => {
      const { timestamp, api_group_key: api_key, failure_status_code: status_code } = row
      return read(queueRecord(row, { timestamp, api_key, fail: { status_code } }), row.event_key)
    }
  },
}
