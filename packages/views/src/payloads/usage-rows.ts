import { instantToIso } from '@svc/core'
import { unpricedReasons } from '@svc/core/money'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import {
  type Cost,
  type FailureClass,
  nanoUsdOf,
  serviceTiers,
  type UsageRequest,
} from '@svc/core/usage'
import * as v from 'valibot'
import { csvHead, csvLine, harmlessId, harmlessText, usdCell } from './csv.ts'
import { filterSchema, spanIdSchema } from './stats-series-schema.ts'
import { countSchema, described, instantSchema, optional } from './wire-schema.ts'

const FAILURES = {
  failedAuth: 'failed_auth',
  failedLimit: 'failed_limit',
  failedVendor: 'failed_vendor',
  failedOther: 'failed_other',
} as const satisfies Record<FailureClass, string>

const unknownCount = v.nullable(countSchema)

/** One line of `/api/v1/usage/rows`. The members, in order, are the CSV columns. */
export const usageRowSchema = described(
  v.object({
    at: v.pipe(v.string(), v.isoTimestamp(), v.description('Start of the request.')),
    accountKey: v.string(),
    accountTitle: v.string(),
    client: described(
      v.string(),
      'Label of the client, or its fingerprint if it has none; never a client key.',
    ),
    model: v.string(),
    provider: v.string(),
    upstream: described(
      v.nullable(v.string()),
      'Name of the proxy; null unless several proxies are watched.',
    ),
    tokens: countSchema,
    tokensIn: unknownCount,
    tokensCached: unknownCount,
    tokensWritten: unknownCount,
    tokensOut: unknownCount,
    latencyMs: unknownCount,
    firstTokenMs: unknownCount,
    failed: v.boolean(),
    failure: described(
      v.nullable(v.picklist(Object.values(FAILURES))),
      'Class of the failure: 401 or 403, 429, 5xx, or another status; null if the request succeeded or the class is unknown.',
    ),
    tier: described(
      v.nullable(v.picklist(serviceTiers)),
      'Service tier; null for the standard tier, `unknown` for a name without rates.',
    ),
    costUsd: described(
      v.nullable(v.number()),
      'Cost in dollars at the list price of the API, to nine decimals; null if the request has no price.',
    ),
    unpriced: described(
      v.nullable(v.picklist(unpricedReasons)),
      'Reason why the request has no price: its token classes are unknown, its model or tier has no rates, or the entry of the price file is refused. Null if the request has a price or no prices are configured.',
    ),
  }),
  'One request. Values missing from its record are null, or empty cells in CSV.',
)
type UsageRowView = v.InferOutput<typeof usageRowSchema>

/** One request; `accountKey`, `client` and `model` are series ids of a chart. */
function usageRowView(request: UsageRequest): UsageRowView {
  const { at, account, client, model, provider, upstream, classes, failure } = request
  return {
    at: instantToIso(at),
    accountKey: harmlessId(account.id),
    accountTitle: account.label,
    client: harmlessId(client.id),
    model: harmlessId(model),
    provider: harmlessId(provider),
    upstream: upstream === DEFAULT_UPSTREAM ? null : upstream,
    tokens: request.tokens,
    tokensIn: classes?.tokensIn ?? null,
    tokensCached: classes?.tokensCached ?? null,
    tokensWritten: classes?.tokensWritten ?? null,
    tokensOut: classes?.tokensOut ?? null,
    latencyMs: request.latencyMs,
    firstTokenMs: request.firstTokenMs,
    failed: request.failed,
    failure: failure === null ? null : FAILURES[failure],
    tier: request.tier,
    costUsd: usdOf(request.cost, request.tokens),
    unpriced: request.unpriced,
  }
}

/** In dollars; null if none of the tokens has a price. */
export function usdOf(cost: Cost | null, tokens: number): number | null {
  const nanoUsd = cost === null ? null : nanoUsdOf(cost, tokens)
  return nanoUsd === null ? null : nanoUsd / 1e9
}

/** A page of `/api/v1/usage/rows`. */
export const usageRowsSchema = described(
  v.object({
    rows: described(
      v.array(usageRowSchema),
      'Newest first. A page can be short, or empty, and still have a next one, because a page reads at most 50,000 requests.',
    ),
    next: described(
      v.nullable(v.string()),
      'Value of `cursor` for the next page; null on the last page.',
    ),
    query: v.object({
      range: spanIdSchema,
      from: instantSchema,
      to: instantSchema,
      limit: v.pipe(v.number(), v.integer()),
      filter: optional(filterSchema, 'Filters that were requested; omitted if there are none.'),
    }),
    rowsSince: described(
      v.nullable(instantSchema),
      'Time before which single requests are deleted; null if none were.',
    ),
    warnings: optional(
      v.array(v.string()),
      'Parameters that were not used as given; omitted if there are none.',
    ),
  }),
  'A page of recorded requests.',
)
export type UsageRows = v.InferOutput<typeof usageRowsSchema>

/** Formats of the download of single requests. */
export const usageRowFormats = ['csv', 'jsonl'] as const
export type UsageRowFormat = (typeof usageRowFormats)[number]
/** Formats of a page of single requests. */
export const usagePageFormats = [...usageRowFormats, 'json'] as const
export type UsagePageFormat = (typeof usagePageFormats)[number]

/** Requests, one per line, without the CSV head; in JSON with commas between. */
export function usageRowLines(requests: readonly UsageRequest[], format: UsagePageFormat): string {
  const rows = requests.map(usageRowView)
  if (format === 'json') return rows.map((row) => JSON.stringify(row)).join(',')
  return rows
    .map((row) => (format === 'csv' ? csvLine(cellsOf(row)) : `${JSON.stringify(row)}\n`))
    .join('')
}

/** CSV head; empty for JSON. */
export function usageRowsHead(format: UsagePageFormat): string {
  return format === 'csv' ? csvHead(Object.keys(usageRowSchema.entries)) : ''
}

const cellsOf = (row: UsageRowView) =>
  Object.values({
    ...row,
    accountTitle: harmlessText(row.accountTitle),
    costUsd: usdCell(row.costUsd),
  }).map((value) => String(value ?? ''))
