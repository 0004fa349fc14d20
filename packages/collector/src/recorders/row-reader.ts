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
  const { cached_tokens, cache_read_tokens } = row
  const { executor_type = row.executor_type } = fields
  // A recorder stores 0 where the record said nothing.
  const isUnsaid =
    !numberFrom(cache_read_tokens) &&
    !CACHE_APART.test(`${textFrom(row.provider) ?? ''} ${textFrom(executor_type) ?? ''}`)
  return {
    provider: row.provider,
    executor_type,
    endpoint: row.endpoint,
    auth_index: row.auth_index,
    source: row.source,
    model: row.model,
    service_tier: row.service_tier,
    response_service_tier: row.response_service_tier,
    ...fields,
    failed: row.failed === true || row.failed === 'true' || Number(row.failed) === 1,
    latency_ms: row.latency_ms,
    ttft_ms: row.ttft_ms,
    tokens: {
      input_tokens: row.input_tokens,
      output_tokens: row.output_tokens,
      reasoning_tokens: row.reasoning_tokens,
      cached_tokens,
      cache_read_tokens: isUnsaid ? undefined : cache_read_tokens,
      cache_creation_tokens: row.cache_creation_tokens,
      total_tokens: row.total_tokens,
    },
  }
}

/** Creates the decoder of single records of another program. The key is that of the row's own id, or of the record where it has none. */
export function recordReader({ accounts, now }: RecorderContext) {
  const context = { receivedAt: now, directory: accountDirectoryOf({ accounts }) }
  return (record: WireRecord, id: unknown): UsageBatch => {
    const own = textFrom(typeof id === 'number' ? String(id) : id)
    return decodeRecords([record], context, own === null ? undefined : () => own).batch
  }
}
