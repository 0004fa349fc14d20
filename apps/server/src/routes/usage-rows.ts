import { createHash } from 'node:crypto'
import { type EpochMs, epochMs, instantToIso } from '@svc/core'
import { type RowsLeft, type UsageFilter, usageRangeIds } from '@svc/core/usage'
import type { HistoryAnswers, Refusal, RowsPart, RowsRequest, UnknownValue } from '@svc/monitor'
import {
  CSV_TYPE,
  JSON_LINES_TYPE,
  JSON_TYPE,
  NEXT_HEADER,
  REQUESTS_PER_PART,
  securityHeaders,
  WARNINGS_HEADER,
} from '@svc/monitor'
import {
  type ErrorSlug,
  filterView,
  questionParameters,
  questionPartOf,
  seriesDefaults,
  type UsageRows,
  unknownIdWarnings,
  usagePageFormats,
  usageRowFormats,
  usageRowsHead,
  type Wording,
} from '@svc/views'
import { invalidParameter, unknownParameters } from './account-query.ts'

/** Error answer for a refused download. */
interface RefusedRows {
  readonly slug: ErrorSlug
  readonly headers?: Readonly<Record<string, string>>
}

/** Maximum number of concurrent downloads, so that charts still get their turn at the reader. See docs/limits.md#what-a-client-may-take-up. */
const DOWNLOADS_MAX = 2
const RETRY_SECONDS = '5'
const CONTENT_TYPES = { csv: CSV_TYPE, jsonl: JSON_LINES_TYPE, json: JSON_TYPE } as const
/** Maximum number of requests per page. */
const PAGE_MAX = 5_000
const NAMES: ReadonlySet<string> = new Set<string>([
  'range',
  'format',
  'limit',
  'cursor',
  ...questionParameters,
])

interface RowsAsked {
  readonly method: string
  readonly parameters: URLSearchParams
  /** Ends the connection, so that the client does not take a partial file for a complete one. */
  readonly cutOff: (error: unknown) => void
}

type RefusedAnswer = RefusedRows | Refusal | UnknownValue

/** Answers with single requests: pages of them, or a download that reads its first part before it sends the headers. Rejects with ReaderBusy. */
export function createUsageRows(partOf: HistoryAnswers['rows'], zone: Pick<Wording, 'offsetMs'>) {
  const running = new Set<symbol>()
  return async ({ method, parameters, cutOff }: RowsAsked): Promise<Response | RefusedAnswer> => {
    const asked = rowsAskedIn(parameters, zone)
    if ('unknown' in asked || 'refusal' in asked) return asked
    const { request, page } = asked
    // A short page takes as long as a part of a download, and holds no place for longer.
    const isShort = page !== null && request.limit <= REQUESTS_PER_PART
    if (!isShort && running.size >= DOWNLOADS_MAX)
      return { slug: 'too_many_downloads', headers: { 'Retry-After': RETRY_SECONDS } }
    const slot = Symbol()
    if (!isShort) running.add(slot)
    let isStreamed = false
    try {
      const first = await partOf(request, page?.left ?? null)
      if (typeof first === 'string') return { slug: first }
      const warnings = [
        ...unknownParameters(parameters, NAMES),
        ...unknownIdWarnings(first.unknownIds),
      ]
      const headers = headersOf(asked, first, warnings)
      if (method === 'HEAD') return new Response(null, { headers })
      if (page !== null)
        return new Response(pageBytes(request, page, { ...first, warnings }), { headers })
      isStreamed = true
      const isRunning = () => running.has(slot)
      const end = () => void running.delete(slot)
      return new Response(streamOf({ request, first, partOf, isRunning, end, cutOff }), { headers })
    } finally {
      if (!isStreamed) running.delete(slot)
    }
  }
}

interface ParsedRows {
  readonly request: RowsRequest
  /** Null for a download. */
  readonly page: Page | null
}

/** A page of requests; null members for the first one. */
interface Page {
  readonly left: RowsLeft | null
  readonly end: EpochMs | null
}

/** Parameters of a download or page. An unknown range or format is refused, because a file cannot carry a warning about a replaced value. */
function rowsAskedIn(
  parameters: URLSearchParams,
  zone: Pick<Wording, 'offsetMs'>,
): ParsedRows | UnknownValue | Refusal {
  const given = (name: string) => parameters.get(name) || null
  const part = questionPartOf(parameters, zone)
  if ('invalid' in part) return invalidParameter(part)
  const { filter, between } = part
  const range = usageRangeIds.find((id) => id === (given('range') ?? seriesDefaults.range))
  if (range === undefined) return unknownValue('range', usageRangeIds)
  const [limit, cursor] = [given('limit'), given('cursor')]
  const isPage = limit !== null || cursor !== null || given('format') === 'json'
  const formats = isPage ? usagePageFormats : usageRowFormats
  const format = formats.find((id) => id === (given('format') ?? (isPage ? 'json' : 'csv')))
  if (format === undefined) return unknownValue('format', usagePageFormats)
  if (
    limit !== null &&
    !(/^\d{1,4}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= PAGE_MAX)
  )
    return invalidParameter({ invalid: { parameter: 'limit', allowed: [`1..${PAGE_MAX}`] } })
  const page = cursor === null ? { left: null, end: null } : pageIn(cursor, filter)
  if (page === null) return { refusal: { slug: 'invalid_cursor', details: {} } }
  const request = {
    range: between === null ? range : ('custom' as const),
    between,
    format,
    filter,
    limit: limit === null ? REQUESTS_PER_PART : Number(limit),
  }
  return { request, page: isPage ? page : null }
}

function unknownValue(parameter: string, allowed: readonly string[]): UnknownValue {
  return { unknown: { parameter, allowed } }
}

/** Ties a cursor to its filter; not a secret. */
function filterHash(filter: UsageFilter): string {
  const sorted = Object.entries(filter).sort(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16)
}

/** The pages that are left, as text that clients need not understand. `end`: end of the first page's time. */
function cursorOf({ from, before }: RowsLeft, end: EpochMs, filter: UsageFilter): string {
  const text = [from, end, before.at, before.key, filterHash(filter)].join(' ')
  return Buffer.from(text).toString('base64url')
}

const CURSOR = /^(\d{1,15}) (\d{1,15}) (\d{1,15}) (-?\d{1,19}) ([0-9a-f]{16})$/

function pageIn(cursor: string, filter: UsageFilter): Page | null {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [, from, end, at, key, hash] = CURSOR.exec(text) ?? []
  if (key === undefined || hash !== filterHash(filter)) return null
  const number = BigInt(key)
  if (BigInt.asIntN(64, number) !== number) return null
  const left = { from: epochMs(Number(from)), before: { at: epochMs(Number(at)), key } }
  return { left, end: epochMs(Number(end)) }
}

function headersOf(
  { request: { range, format, filter }, page }: ParsedRows,
  { left, whole }: FirstPart,
  warnings: readonly string[],
) {
  return {
    ...securityHeaders,
    'Content-Type': CONTENT_TYPES[format],
    ...(format === 'json'
      ? {}
      : { 'Content-Disposition': `attachment; filename="usage-${range}.${format}"` }),
    ...(page === null || left === null
      ? {}
      : { [NEXT_HEADER]: cursorOf(left, page.end ?? whole.before.at, filter) }),
    ...(warnings.length === 0 ? {} : { [WARNINGS_HEADER]: warnings.join(' | ') }),
  }
}

type FirstPart = Exclude<Awaited<ReturnType<HistoryAnswers['rows']>>, string>

/** A page of requests. Its requests are encoded already. */
function pageBytes(
  { range, filter, limit, format }: RowsRequest,
  { end }: Page,
  { bytes, left, rowsSince, whole, warnings }: FirstPart & { readonly warnings: string[] },
): Uint8Array<ArrayBuffer> {
  if (format !== 'json') return Buffer.concat([Buffer.from(usageRowsHead(format)), bytes])
  const to = end ?? whole.before.at
  const rest: Omit<UsageRows, 'rows'> = {
    next: left === null ? null : cursorOf(left, to, filter),
    query: {
      range,
      from: instantToIso(whole.from),
      to: instantToIso(to),
      limit,
      ...(Object.keys(filter).length === 0 ? {} : { filter: filterView(filter) }),
    },
    rowsSince: rowsSince === null ? null : instantToIso(rowsSince),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
  return Buffer.concat([
    Buffer.from('{"rows":['),
    bytes,
    Buffer.from(`],${JSON.stringify(rest).slice(1)}`),
  ])
}

interface Download extends Pick<RowsAsked, 'cutOff'> {
  readonly request: RowsRequest
  readonly first: RowsPart
  readonly partOf: HistoryAnswers['rows']
  readonly isRunning: () => boolean
  readonly end: () => void
}

/** Lines of a download. Each part is read once the client has received the previous one. */
function streamOf({ request, first, partOf, isRunning, end, cutOff }: Download): ReadableStream {
  let { left } = first
  let bytes: Uint8Array = Buffer.concat([Buffer.from(usageRowsHead(request.format)), first.bytes])
  const readOn = async () => {
    while (bytes.length === 0 && left !== null && isRunning()) {
      const part = await partOf(request, left)
      if (typeof part === 'string') throw new Error(part)
      bytes = part.bytes
      left = part.left
    }
  }
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          await readOn()
        } catch (error) {
          end()
          cutOff(error)
        }
        if (!isRunning()) return
        if (bytes.length > 0) controller.enqueue(bytes)
        bytes = new Uint8Array()
        if (left !== null) return
        end()
        controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
