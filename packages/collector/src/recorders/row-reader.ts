import type { RecorderContext, RecorderRow, UsageBatch } from '@svc/core/usage'
import { accountDirectoryOf } from '../usage/account-directory.ts'
import { decodeRecords } from '../usage/usage-decoder.ts'
import { numberFrom, textFrom, type WireRecord } from '../wire/wire-fields.ts'

/** Fields with the same name and meaning in the files of every recorder. */
export const SHARED_FIELDS = [
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
export function queueRecord(row: RecorderRow, fields: WireRecord): WireRecord {
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
export function recordReader({ accounts, now }: RecorderContext) {
  const context = { receivedAt: now, directory: accountDirectoryOf({ accounts }) }
  return (record: WireRecord, id: unknown): UsageBatch => {
    const own = textFrom(typeof id === 'number' ? String(id) : id)
    return decodeRecords([record], context, own === null ? undefined : () => own).batch
  }
}
