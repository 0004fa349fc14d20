import { hash } from 'node:crypto'
import { DAY_MS, type EpochMs, plusMs, type QuotaSample } from '@svc/core'
import { ASSUMED_PROVIDER, type ReceiptTime, type TrustedTime } from '@svc/core/service'
import {
  type AccountActivity,
  failureCauseOf,
  failureClassOf,
  noteActivity,
  type QuarantinedRecord,
  serviceTierOf,
  type TreeTotals,
  type UsageBatch,
  type UsageDetail,
  type UsageFacts,
} from '@svc/core/usage'
import type { Provider, VendorFailure } from '../providers/contract/provider.ts'
import { providerNamed } from '../providers/known-providers.ts'
import { createJsonPieces, PieceError, type PieceLimits } from '../wire/json-pieces.ts'
import {
  documentOf,
  instantFrom,
  isRecord,
  numberFrom,
  textFrom,
  type WireRecord,
} from '../wire/wire-fields.ts'
import { type AccountDirectory, ownerIn, type UsageOwner } from './account-directory.ts'
import { isRefusedName, nameFrom, quarantined, tokensOf } from './record-fields.ts'

/** Accounts and times for decoding an answer; absent times equal `receivedAt`. */
export interface DecodeContext
  extends Pick<ReceiptTime, 'receivedAt'>,
    Partial<Pick<TrustedTime, 'latest' | 'certain'>> {
  readonly directory: AccountDirectory
}

/** Longest time by which a record's date may be ahead of `latest`; a later date is wrong. See docs/rules.md#usage-records. */
const AHEAD_MS_MAX = DAY_MS
/** Elements of a legacy tree decoded at a time. */
const TREE_PART_ELEMENTS = 5_000
/** Limits of a tree, whose requests are at `usage.apis.<client>.models.<model>.details[]`. */
const TREE_LIMITS: PieceLimits = {
  listDepth: 7,
  frameBytesMax: 32 * 1024 ** 2,
  elementBytesMax: 1024 ** 2,
  depthMax: 64,
}

/** Decodes the answer of a pop; null unless it is a list. */
export function decodeQueue(answer: Uint8Array, context: DecodeContext) {
  const list = parsed(answer)
  return Array.isArray(list) ? decodeRecords(list, context) : null
}

/** The parsed text of the proxy; undefined if it is not JSON. */
export function parsed(bytes: Uint8Array): unknown {
  return documentOf(new TextDecoder().decode(bytes))
}

/** Decodes the records of a queue. An unreadable record does not affect the others. `keyTextOf`: text whose hash identifies a record. */
export function decodeRecords(
  elements: readonly unknown[],
  context: DecodeContext,
  keyTextOf: (record: WireRecord) => string = JSON.stringify,
): UsageFacts & { readonly batch: UsageBatch } {
  const decoding = beginDecoding(context)
  let listedCount = 0
  for (const element of elements) {
    if (isControlMessage(element)) continue
    if (!isRecord(element)) {
      decoding.refuse('bad_shape', element)
      continue
    }
    if (isListed(element)) listedCount += 1
    const { api_key, endpoint, model } = element
    if ([api_key, endpoint, element.provider, model].some(isRefusedName)) {
      decoding.refuse('bad_name', element)
      continue
    }
    const provider = textFrom(element.provider) ?? ''
    decoding.add(element, {
      provider,
      owner: ownerOf(element, provider, context.directory),
      apiName: nameFrom(api_key, endpoint, provider),
      model: nameFrom(model),
      keyText: keyTextOf(element),
    })
  }
  return {
    batch: decoding.nextBatch(),
    ...decoding.facts({ elementCount: elements.length, listedCount }),
  }
}

/**
 * Whether a record belongs to a file in the account list. The published documents spell the type with an underscore. See
 * docs/upstream.md#usage-by-version.
 */
function isListed({ auth_type, auth_index }: WireRecord): boolean {
  return auth_type !== 'apikey' && auth_type !== 'api_key' && auth_index !== ''
}

/**
 * Decodes the bytes of a legacy tree; null for anything else. Only one decoded batch is held at a time, because a tree may have hundreds of thousands
 * of requests. Equal requests at the same instant are distinguished by their order. The batches can be iterated only once, and `facts` covers the
 * batches read so far.
 */
export function decodeTree(chunks: Iterable<Uint8Array>, context: DecodeContext) {
  const wire = treeFrom(chunks)
  const usage = isRecord(wire) ? wire.usage : null
  if (!isRecord(usage) || !(isRecord(usage.apis) || usage.apis === null)) return null
  const lists = detailListsOf(usage.apis)
  const elementCount = lists.reduce((sum, { details }) => sum + details.length, 0)
  const totalRequests = numberFrom(usage.total_requests) ?? elementCount
  const decoding = beginDecoding(context)
  return {
    totalRequests,
    totals: totalsOf(usage, totalRequests),
    batches: batchesOf(lists, decoding, context.directory),
    facts: () => decoding.facts({ elementCount, listedCount: 0 }),
  }
}

function totalsOf(
  { failure_count, total_tokens }: WireRecord,
  totalRequests: number,
): TreeTotals | null {
  const [failed, tokens] = [numberFrom(failure_count), numberFrom(total_tokens)]
  if (failed === null || tokens === null || failed < 0 || tokens < 0 || failed > totalRequests)
    return null
  return { success: totalRequests - failed, failed, tokens }
}

/** The requests of one client and model. */
interface DetailList {
  readonly apiKey: string
  readonly modelKey: string
  readonly details: unknown[]
}

function detailListsOf(apis: unknown): readonly DetailList[] {
  return entriesOf(apis).flatMap(([apiKey, api]) =>
    entriesOf(isRecord(api) ? api.models : null).flatMap(([modelKey, model]) =>
      isRecord(model) && Array.isArray(model.details)
        ? [{ apiKey, modelKey, details: model.details as unknown[] }]
        : [],
    ),
  )
}

function* batchesOf(
  lists: readonly DetailList[],
  decoding: Decoding,
  directory: AccountDirectory,
): Generator<UsageBatch> {
  let elementCount = 0
  for (const { apiKey, modelKey, details } of lists) {
    const apiName = nameFrom(apiKey)
    const model = nameFrom(modelKey)
    // Client and model are part of the comparison, so other lists have no equal requests.
    const occurrences = new Map<string, number>()
    for (const detail of details) {
      if (elementCount === TREE_PART_ELEMENTS) {
        yield decoding.nextBatch()
        elementCount = 0
      }
      elementCount += 1
      if (!isRecord(detail)) {
        decoding.refuse('bad_shape', detail)
        continue
      }
      if (isRefusedName(apiKey) || isRefusedName(modelKey)) {
        decoding.refuse('bad_name', detail)
        continue
      }
      const tuple = tupleOf(apiKey, modelKey, detail)
      const occurrence = (occurrences.get(tuple) ?? 0) + 1
      occurrences.set(tuple, occurrence)
      decoding.add(detail, {
        provider: '',
        owner: ownerOf(detail, '', directory),
        apiName,
        model,
        keyText: `${tuple}|${occurrence}`,
      })
    }
    // Frees the decoded details.
    details.length = 0
  }
  yield decoding.nextBatch()
}

/** The document, with null for parts too large or too deep; undefined if it is not JSON. */
function treeFrom(chunks: Iterable<Uint8Array>): unknown {
  const pieces = createJsonPieces(TREE_LIMITS)
  try {
    for (const chunk of chunks) pieces.push(chunk)
    return pieces.end()
  } catch (error) {
    if (error instanceof PieceError) return undefined
    throw error
  }
}

interface RecordNames {
  /** Provider, which decides the format of the token counts; empty if the record names none. */
  readonly provider: string
  readonly owner: UsageOwner
  readonly apiName: string
  readonly model: string
  /** Text whose hash identifies the record when it is seen again. */
  readonly keyText: string
}

type Decoding = ReturnType<typeof beginDecoding>

function beginDecoding({
  receivedAt,
  latest = receivedAt,
  certain: certainAt = receivedAt,
}: DecodeContext) {
  let details: UsageDetail[] = []
  let refused: QuarantinedRecord[] = []
  let saturatedCount = 0
  const activityByFile = new Map<string, AccountActivity>()
  let oldestAt: EpochMs | null = null
  let newestAt: EpochMs | null = null

  return {
    refuse: (reason: QuarantinedRecord['reason'], wire: unknown) =>
      void refused.push(quarantined(reason, wire)),
    add(wire: WireRecord, { provider, owner, apiName, model, keyText }: RecordNames) {
      const { accountKey } = owner
      const at = instantFrom(wire.timestamp)
      if (at === null || at > latest + AHEAD_MS_MAX) {
        refused.push(
          quarantined(
            wire.timestamp == null || wire.timestamp === '' ? 'no_timestamp' : 'bad_timestamp',
            wire,
          ),
        )
        return
      }
      const count = tokensOf(wire, provider)
      if (count === null) {
        refused.push(quarantined('bad_tokens', wire))
        return
      }
      if (count.saturated) saturatedCount += 1
      if (oldestAt === null || at < oldestAt) oldestAt = at
      if (newestAt === null || at > newestAt) newestAt = at
      const failed = wire.failed === true || wire.failed === 'true'
      const key = hash('sha256', keyText, 'buffer').readBigInt64BE(0)
      const latencyMs = durationFrom(wire.latency_ms)
      const failure = failed ? vendorFailureIn(wire) : null
      details.push({
        at,
        key,
        accountKey,
        apiName,
        model,
        tokens: count.tokens,
        failed,
        provider: owner.provider,
        classes: count.classes,
        latencyMs,
        // 0 means unknown: no first token arrives in 0 ms.
        firstTokenMs: durationFrom(wire.ttft_ms) || null,
        failure:
          failure === null || failure.httpStatus <= 0 ? null : failureClassOf(failure.httpStatus),
        cause: failure === null ? null : failureCauseOf(failure.httpStatus, failure.body),
        tier: serviceTierOf(textFrom(wire.service_tier), textFrom(wire.response_service_tier)),
      })

      const endedAt = plusMs(at, latencyMs ?? 0)
      const vendor = owner.provider === null ? null : providerNamed(owner.provider)
      const sample = vendor === null ? null : sampleIn(vendor, wire, failure, endedAt)
      const message = failure === null ? null : (vendor?.refusalIn(failure, endedAt) ?? null)
      const refusal = message === null ? null : { at: endedAt, message }
      if (failed && sample === null && refusal === null) return
      noteActivity(activityByFile, {
        accountKey,
        authIndex: authIndexOf(wire),
        lastSuccessAt: failed ? null : endedAt,
        samples: sample === null ? [] : [sample],
        refusal,
      })
    },
    /** The records since the last batch. */
    nextBatch(): UsageBatch {
      const batch = { receivedAt, certainAt, details, quarantined: refused, saturatedCount }
      details = []
      refused = []
      saturatedCount = 0
      return batch
    },
    facts: (counts: Pick<UsageFacts, 'elementCount' | 'listedCount'>): UsageFacts => ({
      ...counts,
      activity: [...activityByFile.values()],
      oldestAt,
      newestAt,
    }),
  }
}

/** Duration in whole milliseconds, up to a day; null if absent. */
function durationFrom(wire: unknown): number | null {
  const milliseconds = numberFrom(wire)
  return milliseconds === null
    ? null
    : Math.round(Math.min(Math.max(milliseconds, 0), AHEAD_MS_MAX))
}

/** The failed request of a record, in the form that its vendor's reader takes; status 0 if the record has none. */
function vendorFailureIn({ fail, response_headers: headers }: WireRecord): VendorFailure {
  const { status_code, body } = isRecord(fail) ? fail : {}
  return { httpStatus: numberFrom(status_code) ?? 0, body: textFrom(body) ?? '', headers }
}

/** The owner's quota in a record; null if this vendor's quota cannot be read or may belong to another account. `failure` is null for a success. */
function sampleIn(
  provider: Provider,
  { response_headers: headers }: WireRecord,
  failure: VendorFailure | null,
  at: EpochMs,
): QuotaSample | null {
  if (failure !== null && mayCarryOthersHeaders(provider, failure, at)) return null
  const fromBody = failure === null ? null : (provider.windowsFromRefusal?.(failure, at) ?? null)
  return provider.windowsFromHeaders(headers, at) ?? fromBody
}

/**
 * Whether the headers of a failed request may come from its previous attempt with another account. Vendors other than Codex send headers with every
 * 429. See docs/upstream.md#usage-records.
 */
function mayCarryOthersHeaders(
  { id, readStatusMessage }: Provider,
  { httpStatus, body }: VendorFailure,
  at: EpochMs,
): boolean {
  if (httpStatus !== 429) return true
  return id === ASSUMED_PROVIDER && readStatusMessage(body, at).kind !== 'usage_limit'
}

/** Whether an element is a message of the proxy to its subscribers, not a record. See docs/upstream.md#usage-queue. */
function isControlMessage(wire: unknown): boolean {
  if (wire === null || wire === '') return true
  return (
    isRecord(wire) &&
    wire.request_id === undefined &&
    wire.timestamp === undefined &&
    ('refresh' in wire || 'support_refresh' in wire)
  )
}

function ownerOf(wire: WireRecord, provider: string, directory: AccountDirectory): UsageOwner {
  return ownerIn(directory, {
    authIndex: authIndexOf(wire),
    source: textFrom(wire.source) ?? '',
    provider,
  })
}

function authIndexOf({ auth_index }: WireRecord): string {
  return typeof auth_index === 'number' ? String(auth_index) : (textFrom(auth_index) ?? '')
}

/** Fields that identify a legacy request. See docs/upstream.md#usage-tree. */
function tupleOf(
  api: string,
  model: string,
  { timestamp, source, auth_index, failed, tokens }: WireRecord,
): string {
  const counts = isRecord(tokens)
    ? [
        tokens.input_tokens,
        tokens.output_tokens,
        tokens.reasoning_tokens,
        tokens.cached_tokens,
        tokens.total_tokens,
      ]
    : []
  return JSON.stringify([api, model, timestamp, source, auth_index, failed, ...counts])
}

function entriesOf(wire: unknown): readonly (readonly [string, unknown])[] {
  return isRecord(wire) ? Object.entries(wire) : []
}
