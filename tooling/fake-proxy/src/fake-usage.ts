import { type EpochMs, plusMs } from '@svc/core'
import type { UsageForm } from './vendors/vendor.ts'
import { goTime } from './wire.ts'

/** One attempt as recorded by the proxy. Members left out: a plain success of Codex's `gpt-5.5` with 1,050 tokens. */
export interface FakeUsageShape {
  readonly at: EpochMs
  readonly source: string
  readonly authIndex: string
  readonly provider?: string
  readonly apiKey?: string
  readonly model?: string
  readonly tokens?: number
  /** Members as another vendor's executor records them; left out: those of Codex. */
  readonly form?: UsageForm
  readonly failed?: { readonly status: number; readonly body: string }
  /** The vendor's headers, with names in Go's spelling. */
  readonly headers?: Readonly<Record<string, readonly string[]>>
}

/** One record and its state in the queue. */
export interface FakeUsageRecord {
  readonly at: EpochMs
  readonly json: string
  /** Position among all records ever made. */
  readonly number: number
  /** Number of the queue's answer that took the record out, counted from 1, or 0 for subscribers; null while it waits. */
  handedOutWith: number | null
  /** True if the record expired in the queue unread. */
  expired: boolean
}

/** The client's own key, which is recorded as the source for an account without an e-mail. */
export const DEFAULT_KEY = 'sk-client-alpha-sample-0001'
const DEFAULT_MODEL = 'gpt-5.5'
const DEFAULT_TOKENS = 1_050

/** Creates usage as kept by the proxy: a queue that drops records when it hands them out, or a tree that only grows. */
export function createFakeUsage(
  utcOffsetMinutes: number,
  isLegacy: () => boolean,
  isV8: () => boolean,
) {
  let ledger: FakeUsageRecord[] = []
  let recordCount = 0
  let queue: FakeUsageRecord[] = []
  let head = 0
  let answers = 0
  const subscribers = new Map<(json: string) => boolean, () => void>()
  const apis = new Map<string, Map<string, string[]>>()
  let treeCount = 0
  let failureCount = 0
  let tokenCount = 0

  const enqueue = (json: string, at: EpochMs): FakeUsageRecord => {
    const record: FakeUsageRecord = {
      at,
      json,
      number: recordCount,
      handedOutWith: null,
      expired: false,
    }
    recordCount += 1
    ledger.push(record)
    for (const deliver of [...subscribers.keys()])
      if (deliver(json)) record.handedOutWith = 0
      else subscribers.delete(deliver)
    if (record.handedOutWith === null) queue.push(record)
    return record
  }

  const addToTree = ({
    at,
    source,
    authIndex,
    apiKey = DEFAULT_KEY,
    form,
    model = form?.model ?? DEFAULT_MODEL,
    tokens = DEFAULT_TOKENS,
    failed,
  }: FakeUsageShape) => {
    const counts = countsOf(failed === undefined ? (form ?? tokens) : 0)
    const total = counts.total_tokens
    const models = apis.get(apiKey) ?? new Map<string, string[]>()
    const details = models.get(model) ?? []
    apis.set(apiKey, models.set(model, details))
    details.push(
      JSON.stringify({
        timestamp: goTime(at, utcOffsetMinutes),
        latency_ms: 14,
        source,
        auth_index: authIndex,
        tokens: legacyCounts(counts),
        failed: failed !== undefined,
      }),
    )
    treeCount += 1
    tokenCount += total
    if (failed !== undefined) failureCount += 1
  }

  return {
    /** All records ever made, in order. */
    get ledger(): readonly FakeUsageRecord[] {
      return ledger
    },
    /** Drops handed-out records from the ledger, so that a long run stays small. */
    forgetHandedOut() {
      ledger = ledger.filter(({ handedOutWith, expired }) => handedOutWith === null && !expired)
    },
    record(shape: FakeUsageShape): FakeUsageRecord {
      if (isLegacy()) addToTree(shape)
      return enqueue(
        JSON.stringify({
          ...recordOf(shape, recordCount, utcOffsetMinutes),
          ...(isV8() && idsOfV8(recordCount)),
        }),
        shape.at,
      )
    },
    /** Puts this exact text into the queue. */
    recordRaw: enqueue,
    /** Takes up to `count` records out, oldest first, as their JSON texts. */
    take(count: number, now: EpochMs, retentionSeconds: number): readonly string[] {
      const keptSince = plusMs(now, -retentionSeconds * 1000)
      for (
        let record = queue[head];
        record !== undefined && record.at < keptSince;
        record = queue[head]
      ) {
        record.expired = true
        head += 1
      }
      answers += 1
      const popped = queue.slice(head, head + count)
      for (const record of popped) record.handedOutWith = answers
      head += popped.length
      if (head > 10_000) {
        queue = queue.slice(head)
        head = 0
      }
      return popped.map(({ json }) => json)
    },
    /** Hands over every record from now on, and so leaves the queue empty. `deliver` is false once its reader is gone. Returns what ends it. */
    subscribe(deliver: (json: string) => boolean, end: () => void) {
      subscribers.set(deliver, end)
      return () => subscribers.delete(deliver)
    },
    /** Sends subscribers a message that is no record. */
    announce(json: string) {
      for (const deliver of subscribers.keys()) deliver(json)
    },
    /** Ends every subscription, as a proxy that ends its connections. */
    endSubscriptions() {
      for (const end of subscribers.values()) end()
      subscribers.clear()
    },
    waitingCount: () => queue.length - head,
    subscriberCount: () => subscribers.size,
    /** Number of answers of the queue so far. */
    answerCount: () => answers,
    /** The legacy tree as JSON text. */
    tree() {
      const apiTexts = [...apis].map(([api, models]) => {
        const modelTexts = [...models].map(
          ([model, details]) =>
            `${JSON.stringify(model)}:{"total_requests":${details.length},"total_tokens":0,"details":[${details.join(',')}]}`,
        )
        return `${JSON.stringify(api)}:{"total_requests":0,"total_tokens":0,"models":{${modelTexts.join(',')}}}`
      })
      return `{"failed_requests":${failureCount},"usage":{"total_requests":${treeCount},"success_count":${treeCount - failureCount},"failure_count":${failureCount},"total_tokens":${tokenCount},"apis":{${apiTexts.join(',')}},"requests_by_day":{},"requests_by_hour":{},"tokens_by_day":{},"tokens_by_hour":{}}}`
    },
    /** Restarts usage: queue and tree are empty. */
    forget() {
      for (const record of queue.slice(head)) record.expired = true
      queue = []
      head = 0
      apis.clear()
      treeCount = 0
      failureCount = 0
      tokenCount = 0
    },
  }
}

export type FakeUsage = ReturnType<typeof createFakeUsage>

interface TokenCounts {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly reasoning_tokens: number
  readonly cached_tokens: number
  readonly cache_read_tokens: number
  readonly cache_creation_tokens: number
  readonly total_tokens: number
}

/**
 * Token counts as the executor of a form records them: each family includes other classes in its counts. A number means that many tokens, without a
 * cache.
 */
function countsOf(of: UsageForm | number): TokenCounts {
  const { family, classes } = typeof of === 'number' ? plainForm(of) : of
  const { uncached, cacheRead, cacheWrite, answer, reasoning } = classes
  const cache = cacheRead + cacheWrite
  const isReasoningBeside = family === 'gemini'
  return {
    input_tokens: family === 'anthropic' ? uncached : uncached + cache,
    output_tokens: isReasoningBeside ? answer : answer + reasoning,
    reasoning_tokens: reasoning,
    // Claude's executor puts what was written into the cache here if nothing was read.
    cached_tokens: family === 'anthropic' && cacheRead === 0 ? cacheWrite : cacheRead,
    cache_read_tokens: cacheRead,
    cache_creation_tokens: cacheWrite,
    total_tokens: uncached + cache + answer + reasoning,
  }
}

function plainForm(total: number): Pick<UsageForm, 'family' | 'classes'> {
  const answer = Math.min(total, 50)
  const classes = { uncached: total - answer, cacheRead: 0, cacheWrite: 0, answer, reasoning: 0 }
  return { family: 'openai', classes }
}

function legacyCounts(counts: TokenCounts): object {
  const { cache_read_tokens: _, cache_creation_tokens: __, total_tokens, ...others } = counts
  return { ...others, total_tokens }
}

/** Ids in the form of v8. */
function idsOfV8(number: number): object {
  const id = `019a0000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
  return { request_id: id, execution_id: id, stream: true }
}

/** See docs/upstream.md#usage-records. */
function recordOf(shape: FakeUsageShape, number: number, utcOffsetMinutes: number): object {
  const { at, source, authIndex, apiKey = DEFAULT_KEY, failed, form, headers } = shape
  const { provider = form?.provider ?? 'codex', model = form?.model ?? DEFAULT_MODEL } = shape
  const served = form ?? shape.tokens ?? DEFAULT_TOKENS
  const counts = countsOf(failed === undefined ? served : 0)
  const { classes } =
    failed === undefined && typeof served === 'object' ? served : plainForm(counts.total_tokens)
  const { total_tokens, cache_read_tokens, cache_creation_tokens, ...others } = counts
  return {
    timestamp: goTime(at, utcOffsetMinutes),
    latency_ms: 38,
    ttft_ms: 37,
    source,
    auth_index: authIndex,
    client_ip: '127.0.0.1',
    x_forwarded_for: '',
    user_agent: form?.userAgent ?? 'codex_cli_rs/0.145.0',
    tokens: {
      ...others,
      total_tokens,
      cache_read_tokens,
      cache_read_tokens_present: true,
      cache_creation_tokens,
    },
    failed: failed !== undefined,
    generate: true,
    fail:
      failed === undefined
        ? { status_code: 200, body: '' }
        : { status_code: failed.status, body: failed.body },
    ...(headers === undefined ? {} : { response_headers: headers }),
    accounting_version: 2,
    token_breakdown: {
      schema_version: 2,
      quality: 'complete',
      total_tokens,
      input: {
        total_tokens: classes.uncached + classes.cacheRead + classes.cacheWrite,
        uncached_tokens: classes.uncached,
        cache_read_tokens: classes.cacheRead,
        cache_write_tokens: classes.cacheWrite,
      },
      output: {
        total_tokens: classes.answer + classes.reasoning,
        non_reasoning_tokens: classes.answer,
        reasoning_tokens: classes.reasoning,
      },
      unclassified_tokens: 0,
    },
    provider,
    executor_type:
      form?.executor ?? `${provider.charAt(0).toUpperCase()}${provider.slice(1)}Executor`,
    model,
    alias: model,
    endpoint: form?.endpoint ?? 'POST /v1/responses',
    auth_type: 'oauth',
    api_key: apiKey,
    // Readers would take two equal requests of one nanosecond for one record; this id distinguishes them.
    request_id: number.toString(16).padStart(8, '0'),
    reasoning_effort: '',
    service_tier: 'auto',
  }
}
