import { ASSUMED_PROVIDER } from '@svc/core/service'
import {
  type AnswerSource,
  bandBounds,
  bandOf,
  isByRate,
  OTHER_ACCOUNT,
  type UsageDetail,
  type UsagePiece,
} from '@svc/core/usage'
import { tierNumber } from './measures.ts'
import { type Grouping, type RateGrouping, rateGroupings, TOTAL_MEMBER } from './tiers.ts'
import type { PricedNumbers, Selection } from './usage-queries.ts'

/** A member of the sums by rate: an account, an API name or all of them, with all that the price of its requests depends on. */
export interface Cell {
  readonly kind: number
  /** Number of the account or API name; 0 for all of them. */
  readonly memberId: number
  /** 0 for the cell of all others. */
  readonly modelId: number
  readonly upstreamId: number
  readonly providerId: number
  /** Number of the service tier: 0 standard, 9 unknown. */
  readonly tier: number
  /** 0 to 3; 9 for requests without token classes, which have no price. */
  readonly band: number
}

/** Number of tiers and bands that are not known. */
export const UNKNOWN = 9

export type NamedMembers = Readonly<Record<Exclude<Grouping, 'total'>, number>>

/** The cells of a request. */
export function cellsOf(
  { classes, tier }: Pick<UsageDetail, 'classes' | 'tier'>,
  { account, api, model, upstream, provider }: NamedMembers,
): Readonly<Record<RateGrouping, Cell>> {
  const rate = {
    modelId: model,
    upstreamId: upstream,
    providerId: provider,
    tier: tierNumber(tier),
    band: bandOf(classes) ?? UNKNOWN,
  }
  return {
    account_rate: { kind: rateGroupings.account_rate, memberId: account, ...rate },
    client_rate: { kind: rateGroupings.client_rate, memberId: api, ...rate },
    total_rate: { kind: rateGroupings.total_rate, memberId: TOTAL_MEMBER, ...rate },
  }
}

/** Upper limit of the numbers of names, so that one exact number tells two of them. */
const NUMBERS_MAX = 2 ** 21

/** What the cells of a request have in common besides the model, as one number. */
export function rateNumber(
  { classes, tier }: Pick<UsageDetail, 'classes' | 'tier'>,
  { upstream, provider }: Pick<NamedMembers, 'upstream' | 'provider'>,
): number {
  const band = bandOf(classes) ?? UNKNOWN
  return ((provider * NUMBERS_MAX + upstream) * 10 + tierNumber(tier)) * 10 + band
}

/** The cell of all others, where there are too many. */
export function otherCell(kind: number): Cell {
  return {
    kind,
    memberId: 0,
    modelId: 0,
    upstreamId: 0,
    providerId: 0,
    tier: UNKNOWN,
    band: UNKNOWN,
  }
}

/** SQL for the provider of a usage row, or for the one that `providerOfUsage` assumes if the row has none. `schema` is that of the tables, with its dot. */
export function providerColumn(schema: string): string {
  return `coalesce(provider_id, (SELECT p.id FROM ${schema}accounts a JOIN ${schema}providers p
  ON p.name = CASE WHEN a.key LIKE '${OTHER_ACCOUNT}%' THEN substr(a.key, ${OTHER_ACCOUNT.length + 1}) ELSE '${ASSUMED_PROVIDER}' END WHERE a.id = account_id))`
}

/** Columns of usage rows that tell the member of each grouping. */
export function memberColumns(provider: string): Readonly<Record<Grouping, string>> {
  return {
    total: '0',
    account: 'account_id',
    model: 'model_id',
    api: 'api_name_id',
    upstream: 'upstream_id',
    provider,
  }
}

/** Columns of cells that tell the member of each grouping; the table is named `cells`. */
export const cellColumns: Readonly<Record<Grouping, string>> = {
  total: '0',
  account: 'cells.member_id',
  api: 'cells.member_id',
  model: 'cells.model_id',
  upstream: 'cells.upstream_id',
  provider: 'cells.provider_id',
}

/** The grouping of sums by rate that a source is; null for any other source. */
export function rateGroupingOf(source: AnswerSource): number | null {
  return isByRate(source) ? rateGroupings[source] : null
}

/** Maximum number of sums that are looked up one by one; to find more, all in the span are read. */
const LOOKED_UP_MAX = 50_000

/** Whether the sums of some cells in a piece of a span are looked up one by one. */
export function isLookedUp(cellCount: number, { seconds, from, to }: UsagePiece): boolean {
  return seconds !== null && (cellCount * (to - from)) / (seconds * 1000) < LOOKED_UP_MAX
}

const [LOWEST, LOW, HIGH] = bandBounds
const INPUT = 'tokens_in + tokens_cached + tokens_written'
/** SQL for the band of a usage row. */
const BAND_COLUMN = `CASE WHEN ${INPUT} <= ${LOWEST} THEN 0 WHEN ${INPUT} <= ${LOW} THEN 1
  WHEN ${INPUT} <= ${HIGH} THEN 2 WHEN ${INPUT} > ${HIGH} THEN 3 ELSE ${UNKNOWN} END`

/** Names of the columns of a rate, in the order of `rateNumbersOf`. */
export const RATED = ['rate_model', 'rate_provider', 'rate_tier', 'rate_band', 'rate_account']

/** SQL for what prices a row of usage or, without `provider`, a cell: columns to select, and their names to group by. Empty if the selection is not rated. */
export function ratedColumns(
  { rated }: Pick<Selection, 'rated'>,
  provider?: string,
): { readonly columns: readonly string[]; readonly select: string; readonly names: string } {
  if (rated === undefined) return { columns: [], select: '', names: '' }
  const account = provider === undefined ? 'cells.member_id' : 'account_id'
  const priced =
    provider === undefined
      ? ['cells.model_id', 'cells.provider_id', 'cells.tier', 'cells.band']
      : ['model_id', provider, 'coalesce(tier, 0)', BAND_COLUMN]
  const columns = [...priced, rated.byAccount ? account : '0']
  const named = columns.map((column, index) => `, ${column} AS ${RATED[index]}`)
  return { columns, select: named.join(''), names: RATED.map((name) => `, ${name}`).join('') }
}

/** The values of `ratedColumns`; null without them. */
export function rateNumbersOf(values: readonly (number | undefined)[]): PricedNumbers | null {
  const [model, provider, tier = 0, band = UNKNOWN, account = 0] = values
  return model === undefined ? null : { model, provider: provider ?? 0, tier, band, account }
}

/** SQL for the cells of a usage row. `cells` is the name of their table, `provider` the SQL for the provider of the row. */
export function rateColumns(
  cells: string,
  provider: string,
): Readonly<Record<RateGrouping, string>> {
  const cellOf = (kind: number, member: string) => `coalesce((SELECT cell FROM (
      SELECT id AS cell, kind, member_id AS cell_member, model_id AS cell_model, upstream_id AS cell_upstream,
        provider_id AS cell_provider, tier AS cell_tier, band AS cell_band FROM ${cells}) AS one
    WHERE kind = ${kind} AND cell_member = ${member} AND cell_model = model_id AND cell_upstream = upstream_id
      AND cell_provider = ${provider} AND cell_tier = coalesce(tier, 0) AND cell_band = ${BAND_COLUMN}),
    (SELECT min(id) FROM ${cells} WHERE kind = ${kind} AND model_id = 0), 0)`
  return {
    account_rate: cellOf(rateGroupings.account_rate, 'account_id'),
    client_rate: cellOf(rateGroupings.client_rate, 'api_name_id'),
    total_rate: cellOf(rateGroupings.total_rate, `${TOTAL_MEMBER}`),
  }
}
