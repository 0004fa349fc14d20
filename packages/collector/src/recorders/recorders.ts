import { hash } from 'node:crypto'
import type {
  DocumentRecorder,
  Recorder,
  RecorderContext,
  RecorderRow,
  RowRecorder,
  UsageBatch,
} from '@svc/core/usage'
import { accountDirectoryOf } from '../usage/account-directory.ts'
import { decodeRecords, decodeTree } from '../usage/usage-decoder.ts'
import { numberFrom, textFrom, type WireRecord } from '../wire/wire-fields.ts'

/** Fields with the same name and meaning in the files of every recorder. */
const SHARED_FIELDS = [
  'provider',
  'executor_type',
  'endpoint',
  'auth_index',
  'source',
  'model',
  'failed',
  'latency_ms',
  'ttft_ms',
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cached_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
  'total_tokens',
  'service_tier',
  'response_service_tier',
] as const

/** Vendors that count cached tokens apart from the input, also where none were read. */
const CACHE_APART = /claude|anthropic/i

/** The queue's record that a row was made of; `fields` are those that the recorder names otherwise. */
function queueRecord(row: RecorderRow, fields: WireRecord): WireRecord {
  const shared: Record<string, unknown> = {}
  for (const field of SHARED_FIELDS) shared[field] = row[field]
  const { executor_type = row.executor_type } = fields
  // A recorder stores 0 where the record said nothing.
  const isUnsaid =
    !numberFrom(row.cache_read_tokens) &&
    !CACHE_APART.test(`${textFrom(row.provider) ?? ''} ${textFrom(executor_type) ?? ''}`)
  if (isUnsaid) shared.cache_read_tokens = undefined
  const failed = row.failed === true || row.failed === 'true' || Number(row.failed) === 1
  return { ...shared, ...fields, executor_type, failed, tokens: shared }
}

/** Creates the decoder of single records of another program. The key is that of the row's own id, or of the record where it has none. */
function recordReader({ accounts, now }: RecorderContext) {
  const context = { receivedAt: now, directory: accountDirectoryOf({ accounts }) }
  return (record: WireRecord, id: unknown): UsageBatch => {
    const own = textFrom(typeof id === 'number' ? String(id) : id)
    return decodeRecords([record], context, own === null ? undefined : () => own).batch
  }
}

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

/** The SQLite file of CPA Manager Plus, and its of JSON Lines. Keys and addresses are there as hashes only. */
const cpaManagerPlus: RowRecorder = {
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
