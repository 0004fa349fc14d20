import { usageRangeIds } from '@svc/core/usage'
import type { HistoryAnswers, RowsPart, RowsRequest, UnknownValue } from '@svc/monitor'
import { CSV_TYPE, JSON_LINES_TYPE, securityHeaders, WARNINGS_HEADER } from '@svc/monitor'
import { type ErrorSlug, seriesDefaults, usageRowFormats, usageRowsHead } from '@svc/views'
import { unknownParameters } from './account-query.ts'

/** Error answer for a refused download. */
interface RefusedRows {
  readonly slug: ErrorSlug
  readonly headers?: Readonly<Record<string, string>>
}

/** Maximum number of concurrent downloads, so that charts still get their turn at the reader. See docs/limits.md#what-a-client-may-take-up. */
const DOWNLOADS_MAX = 2
const RETRY_SECONDS = '5'
const CONTENT_TYPES = { csv: CSV_TYPE, jsonl: JSON_LINES_TYPE } as const
const FILTERS = ['account', 'client', 'model', 'provider'] as const
const NAMES: ReadonlySet<string> = new Set(['range', 'format', ...FILTERS])

interface RowsAsked {
  readonly method: string
  readonly parameters: URLSearchParams
  /** Ends the connection, so that the client does not take a partial file for a complete one. */
  readonly cutOff: (error: unknown) => void
}

/** Answers downloads of single requests; reads the first part before it sends the headers. Rejects with ReaderBusy. */
export function createUsageRows(partOf: HistoryAnswers['rows']) {
  const running = new Set<symbol>()
  return async ({
    method,
    parameters,
    cutOff,
  }: RowsAsked): Promise<Response | RefusedRows | UnknownValue> => {
    const request = rowsRequestOf(parameters)
    if ('unknown' in request) return request
    if (running.size >= DOWNLOADS_MAX)
      return { slug: 'too_many_downloads', headers: { 'Retry-After': RETRY_SECONDS } }
    const slot = Symbol()
    running.add(slot)
    let isStreamed = false
    try {
      const first = await partOf(request, null)
      if (typeof first === 'string') return { slug: first }
      const headers = headersOf(request, parameters)
      if (method === 'HEAD') return new Response(null, { headers })
      isStreamed = true
      const isRunning = () => running.has(slot)
      const end = () => void running.delete(slot)
      return new Response(streamOf({ request, first, partOf, isRunning, end, cutOff }), { headers })
    } finally {
      if (!isStreamed) running.delete(slot)
    }
  }
}

/** Parameters of a download. An unknown range or format is refused, because a file cannot carry a warning about a replaced value. */
function rowsRequestOf(parameters: URLSearchParams): RowsRequest | UnknownValue {
  const given = (name: string) => parameters.get(name) || null
  const range = usageRangeIds.find((id) => id === (given('range') ?? seriesDefaults.range))
  if (range === undefined) return unknownValue('range', usageRangeIds)
  const format = usageRowFormats.find((id) => id === (given('format') ?? 'csv'))
  if (format === undefined) return unknownValue('format', usageRowFormats)
  const idsOf = (name: (typeof FILTERS)[number]) => {
    const ids = parameters.getAll(name).flatMap((list) => list.split(',').filter(Boolean))
    return ids.length === 0 ? null : new Set(ids)
  }
  const filter = {
    account: idsOf('account'),
    client: idsOf('client'),
    model: idsOf('model'),
    provider: idsOf('provider'),
  }
  return { range, format, filter }
}

function unknownValue(parameter: string, allowed: readonly string[]): UnknownValue {
  return { unknown: { parameter, allowed } }
}

function headersOf({ range, format }: RowsRequest, parameters: URLSearchParams) {
  const warnings = unknownParameters(parameters, NAMES)
  return {
    ...securityHeaders,
    'Content-Type': CONTENT_TYPES[format],
    'Content-Disposition': `attachment; filename="usage-${range}.${format}"`,
    ...(warnings.length === 0 ? {} : { [WARNINGS_HEADER]: warnings.join(' | ') }),
  }
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
