import { hash } from 'node:crypto'
import type { RecorderRow, RowRecorder } from '@svc/core/usage'
import { textFrom } from '../wire/wire-fields.ts'
import { queueRecord, recordReader, SHARED_FIELDS } from './row-reader.ts'

/** The SQLite file of CPA Manager Plus, and its export of JSON Lines. Keys and addresses are there as hashes only. */
export const cpaManagerPlus: RowRecorder = {
  form: 'rows',
  tables: ['usage_events'],
  fields: [
    'event_hash',
    'timestamp_ms',
    'timestamp',
    'resolved_model',
    'api_key_hash',
    'source_hash',
    'cache_input_mode',
    'fail_status_code',
    ...SHARED_FIELDS,
  ],
  required: ['event_hash', 'timestamp_ms', 'model'],
  exportsLines: true,
  reader(context) {
    const read = recordReader(context)
    const clientByHash = byHash(context.clients)
    const emailByHash = byHash(context.accounts.flatMap(({ email }) => email ?? []))
    return (row) => {
      const client = stated(row.api_key_hash)
      const record = queueRecord(row, {
        timestamp: row.timestamp_ms ?? row.timestamp,
        // `model` may be the alias that was asked for.
        model: stated(row.resolved_model) ?? stated(row.model),
        api_key: client === null ? null : (clientByHash.get(client) ?? client),
        endpoint: stated(row.endpoint),
        source: emailByHash.get(textFrom(row.source_hash) ?? '') ?? row.source,
        executor_type: executorOf(row),
        fail: { status_code: row.fail_status_code },
      })
      return read(record, row.event_hash)
    }
  },
}

/** Text of a field; null for a dash, which means no value. */
function stated(value: unknown): string | null {
  return value === '-' ? null : textFrom(value)
}

/** The executor, with a vendor's name that says how the input counts where the row says it. */
function executorOf({ executor_type, cache_input_mode }: RecorderRow): string {
  const vendor = { separate_from_input: ' claude', included_in_input: ' openai' }[
    textFrom(cache_input_mode) ?? ''
  ]
  return `${textFrom(executor_type) ?? ''}${vendor ?? ''}`
}

/** Texts by their SHA-256. */
function byHash(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(texts.map((text) => [hash('sha256', text.trim(), 'hex'), text]))
}
