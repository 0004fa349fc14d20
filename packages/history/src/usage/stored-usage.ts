import { type EpochMs, epochMs, type Interval, plusMs } from '@svc/core'
import {
  addTo,
  breakdownOf,
  bucketIndexOf,
  comparedSpanOf,
  emptyRow,
  emptySum,
  entryOf,
  fixedRanges,
  LIVE_WINDOW_SECONDS,
  linesRefusalOf,
  type PercentileQuery,
  type PreviousPeriod,
  percentilesOf,
  providerOfAccount,
  type RequestsPage,
  type RequestsQuery,
  type RequestTime,
  rowsRefusalOf,
  scaled,
  sumOfUsage,
  timeAskedBy,
  totalMember,
  type UsageCounts,
  type UsageCoverage,
  type UsageGroup,
  type UsageHistory,
  type UsageLine,
  type UsageMember,
  type UsagePercentiles,
  type UsageQuery,
  type UsageRow,
  type UsageSeries,
  type UsageSpan,
  type UsageSum,
  type UsageSummary,
  usageCoverageOf,
  usageSpanOf,
  type WatchedTime,
} from '@svc/core/usage'
import { bucketCoverOf, type Grouping } from './tiers.ts'

export interface MemberUsage extends UsageCounts {
  readonly memberId: number
}

/** A measured time of one successful request. */
export interface MemberTime {
  readonly memberId: number
  readonly at: EpochMs
  readonly milliseconds: number
}

export interface MemberBucket extends MemberUsage {
  readonly index: number
}

/**
 * Queries of the usage tables, each answered from the widest buckets that fit, or from single rows if only those of some providers count. Times in
 * milliseconds; `to` is exclusive.
 */
export interface UsageQueries {
  /** Usage of all members, unordered. */
  members(
    grouping: Grouping,
    from: EpochMs,
    to: EpochMs,
    providerIds?: readonly number[],
  ): Promise<readonly MemberUsage[]>
  /** Usage of these members in buckets of `bucketSeconds` from `from`; buckets without usage are left out. */
  buckets(
    grouping: Grouping,
    memberIds: readonly number[],
    span: { readonly from: EpochMs; readonly to: EpochMs; readonly bucketSeconds: number },
    providerIds?: readonly number[],
  ): Promise<readonly MemberBucket[]>
  /** Values of `time` for the single requests that succeeded and have one, unordered. */
  times(
    time: RequestTime,
    grouping: Grouping,
    from: EpochMs,
    to: EpochMs,
    providerIds?: readonly number[],
  ): Promise<readonly MemberTime[]>
}

/** First and last usage of a store, and the share of the time between that was observed. Null: there is no usage. */
export interface UsageExtent {
  earliest(): Promise<EpochMs | null>
  /** Time of the newest row before `now`. */
  latest(now: EpochMs): Promise<EpochMs | null>
  /**
   * Start of the kept usage, and the gaps that end after `from`. Usage can be older than the first poll, because the proxy still had its records
   * then.
   */
  watch(from: EpochMs): Promise<WatchedTime>
  history(now: EpochMs): Promise<Omit<UsageHistory, 'totals' | 'retentionDays' | keyof Measured>>
}

type Measured = Pick<UsageHistory, 'databaseBytes' | 'lagSeconds'>

/** Names of a group's members, by their numbers in rows and rollups. Several numbers may share a name. */
export type MembersById = ReadonlyMap<number, UsageMember>

export interface NamedGroup {
  readonly grouping: Grouping
  readonly members: MembersById
  /** Providers whose rows alone count; left out for sums of all. */
  readonly providerIds?: readonly number[]
}

/** Sources of one answer, which all reflect one moment. */
export interface UsageTables extends UsageQueries {
  readonly extent: UsageExtent
  /** Rows before this time may be deleted, with their sums kept; null if no rows were deleted. */
  readonly rowsSince: EpochMs | null
  measured(): Promise<Measured>
  named(group: UsageGroup): Promise<NamedGroup>
  /** One page of the single requests that are still kept. */
  requests(query: RequestsQuery): Promise<RequestsPage>
}

/** Stored grouping of each group; clients are API names under their labels. */
export const GROUPING_OF: Readonly<Record<UsageGroup, Grouping>> = {
  total: 'total',
  account: 'account',
  client: 'api',
  model: 'model',
  api: 'api',
  provider: 'provider',
  upstream: 'upstream',
}

export async function storedSeries(
  tables: UsageTables,
  query: UsageQuery,
  now: EpochMs,
): Promise<UsageSeries> {
  const earliest = await tables.extent.earliest()
  const span = usageSpanOf(query.range, now, earliest, query.bucket)
  const breakdownGroup = query.group === 'total' ? 'account' : query.group
  const { everything, named, timed, refused, inRows } = await groupsOf(tables, query, span)
  const rows = await rowsBetween(tables, named, span.from, span.end)
  const totals = sumOfUsage(
    query.providers === undefined
      ? rows
      : await rowsBetween(tables, everything, span.from, span.end),
  )
  const breakdown = breakdownOf(rows, breakdownGroup, query, totals)
  const totalRows = totals.requests > 0 ? [{ ...totalMember, ...totals }] : []
  const total = await linesOf(tables, everything, totalRows, span)
  const shown =
    query.group === 'total'
      ? { named: everything, rows: totalRows }
      : { named, rows: breakdown.rows }
  const percentilesIn = (of: UsageSpan, { requests }: UsageCounts) =>
    percentilesFrom(tables, timed, {
      ...inRows,
      metric: query.metric,
      span: of,
      requests,
      memberIds: breakdown.rows.map(({ id }) => id),
    })
  const before = comparedSpanOf(query, inRows)
  const previous = before && (await previousOf(tables, everything, shown, before))
  const totalBuckets = total[0]?.buckets ?? bucketsOf(span)
  return {
    span,
    earliest,
    coverage: coverageOf(span, await tables.extent.watch(span.from), { totals, totalBuckets }),
    totals,
    totalBuckets,
    lines: query.group === 'total' ? total : await linesOf(tables, named, breakdown.rows, span),
    refused,
    breakdown,
    percentiles: await percentilesIn(span, totals),
    previous: previous && {
      ...previous,
      percentiles: await percentilesIn(previous.span, previous.totals),
    },
  }
}

/** Groups from which a chart is read: all usage, the members of its lines, and those of single requests. */
async function groupsOf(tables: UsageTables, query: UsageQuery, span: UsageSpan) {
  const { group, providers, listed, range, bucket } = query
  const all = await tables.named('total')
  const lines = await tables.named(group === 'total' ? 'account' : group)
  const inRows = { span, scanned: 0, rowsSince: tables.rowsSince }
  if (providers === undefined)
    return { everything: all, named: lines, timed: lines, refused: null, inRows }
  const own = membersWhere(await tables.named('provider'), ({ id }) => providers.includes(id))
  const providerIds = [...own.members.keys()]
  const { requests: scanned } = sumOfUsage(await tables.members('total', span.from, span.end))
  const asked = { ...inRows, scanned }
  const refused = linesRefusalOf(query, asked)
  // Hours of a week are kept of all usage alone.
  const isByRow = range === '7d' && bucket === '1h' && rowsRefusalOf(asked) === null
  const sums: NamedGroup = {
    ...own,
    members: new Map(providerIds.map((id) => [id, totalMember])),
  }
  const timed = { ...lines, providerIds }
  const isAsked = ({ id }: UsageMember) => providers.includes(providerOfAccount(id, listed) ?? '')
  const named = () => {
    if (refused !== null) return membersWhere(lines, () => false)
    if (group === 'provider') return own
    return lines.grouping === 'account' ? membersWhere(lines, isAsked) : timed
  }
  return {
    everything: isByRow ? { ...all, providerIds } : sums,
    named: named(),
    timed,
    refused,
    inRows: asked,
  }
}

function membersWhere(
  { grouping, members }: NamedGroup,
  isWanted: (member: UsageMember) => boolean,
): NamedGroup {
  return { grouping, members: new Map([...members].filter(([, member]) => isWanted(member))) }
}

/**
 * Coverage of a span. A store of an earlier version has kept fine buckets for a shorter time: usage before the first of them is unknown if
 * they sum to less than the total.
 */
function coverageOf(
  span: UsageSpan,
  watch: WatchedTime,
  { totals, totalBuckets }: Pick<UsageSeries, 'totals' | 'totalBuckets'>,
): UsageCoverage {
  const coverage = usageCoverageOf(span, watch)
  if (sumOfUsage(totalBuckets).requests >= totals.requests) return coverage
  const firstIndex = totalBuckets.findIndex(({ requests }) => requests > 0)
  const since = plusMs(span.start, firstIndex * span.bucketSeconds * 1000)
  return firstIndex < 0
    ? coverage
    : { ...coverage, gaps: usageCoverageOf(span, { ...watch, since }).gaps }
}

/** Usage of each member of a group between two instants, and how much of that time was watched. */
export async function storedSums(
  tables: UsageTables,
  group: UsageGroup,
  { from, to: end }: Interval,
): Promise<{ readonly rows: readonly UsageRow[]; readonly coverage: UsageCoverage }> {
  return {
    rows: await rowsBetween(tables, await tables.named(group), from, end),
    coverage: usageCoverageOf({ from, end }, await tables.extent.watch(from)),
  }
}

export async function storedSummary(
  tables: UsageTables,
  now: EpochMs,
): Promise<
  Omit<UsageSummary, 'history'> & { readonly history: Omit<UsageHistory, 'retentionDays'> }
> {
  return {
    ...(await recentUsage(tables, now)),
    history: {
      ...(await tables.extent.history(now)),
      ...(await tables.measured()),
      totals: sumOfUsage(await tables.members('total', epochMs(0), now)),
    },
  }
}

/** Lines of the previous period. Its totals are sums of its buckets, because finer buckets may be deleted. */
async function previousOf(
  tables: UsageTables,
  everything: NamedGroup,
  { named, rows }: { readonly named: NamedGroup; readonly rows: readonly UsageRow[] },
  span: UsageSpan,
): Promise<Omit<PreviousPeriod, 'percentiles'>> {
  const queries = withLastBucketShared(tables, tables.rowsSince)
  const [total] = await linesOf(queries, everything, [{ ...totalMember, ...emptySum() }], span)
  const totalBuckets = total?.buckets ?? bucketsOf(span)
  const lines = await linesOf(queries, named, rows, span)
  return {
    span,
    coverage: usageCoverageOf(span, await tables.extent.watch(span.from)),
    totals: sumOfUsage(totalBuckets),
    totalBuckets,
    bucketsById: new Map(lines.map(({ id, buckets }) => [id, buckets])),
  }
}

/** Percentiles from single requests, which are read for nothing else. */
async function percentilesFrom(
  tables: UsageTables,
  { grouping, members, providerIds }: NamedGroup,
  query: PercentileQuery,
): Promise<UsagePercentiles | null> {
  const time = timeAskedBy(query)
  const { from, end } = query.span
  const times = time === null ? [] : await tables.times(time, grouping, from, end, providerIds)
  return percentilesOf(
    query,
    times.flatMap(({ memberId, at, milliseconds }) => {
      const member = members.get(memberId)
      return member === undefined ? [] : [{ at, memberId: member.id, milliseconds }]
    }),
  )
}

type BucketQueries = Pick<UsageQueries, 'buckets'>

/**
 * Queries of buckets that scale the last bucket by the part of its time inside the span, as if used evenly, if the rows to subtract from it are
 * deleted. Counted whole, it would include later usage.
 */
function withLastBucketShared(queries: BucketQueries, rowsSince: EpochMs | null): BucketQueries {
  return {
    async buckets(grouping, memberIds, span, providerIds) {
      const { from, to, bucketSeconds } = span
      const { tier, lastFrom, tooMuchTo } = bucketCoverOf(bucketSeconds, to)
      if (rowsSince === null || rowsSince <= to || tooMuchTo === to)
        return queries.buckets(grouping, memberIds, span, providerIds)
      const share = (to - lastFrom) / (tooMuchTo - lastFrom)
      const index = Math.floor((lastFrom - from) / (bucketSeconds * 1000))
      const before = await queries.buckets(grouping, memberIds, { ...span, to: epochMs(lastFrom) })
      const last = await queries.buckets(grouping, memberIds, {
        from: epochMs(lastFrom),
        to: epochMs(tooMuchTo),
        bucketSeconds: tier.seconds,
      })
      const part = ({ memberId, ...counts }: MemberBucket): MemberBucket => ({
        memberId,
        ...scaled(counts, share),
        index,
      })
      return [...before, ...last.map(part)]
    },
  }
}

/** Usage by member name: the API names of one client make one row. */
async function rowsBetween(
  tables: UsageTables,
  { grouping, members, providerIds }: NamedGroup,
  from: EpochMs,
  to: EpochMs,
): Promise<readonly UsageRow[]> {
  const rows = new Map<string, UsageMember & UsageSum>()
  for (const { memberId, ...usage } of await tables.members(grouping, from, to, providerIds)) {
    const member = members.get(memberId)
    if (member !== undefined) addTo(entryOf(rows, member, emptyRow), usage)
  }
  return [...rows.values()]
}

async function linesOf(
  queries: BucketQueries,
  { grouping, members, providerIds }: NamedGroup,
  rows: readonly UsageRow[],
  span: UsageSpan,
): Promise<readonly UsageLine[]> {
  const lines = rows.map((row) => ({
    ...row,
    buckets: bucketsOf(span),
  }))
  const lineById = new Map(lines.map((line) => [line.id, line]))
  const bucketsByMember = new Map<number, readonly UsageSum[]>()
  for (const [memberId, { id }] of members) {
    const line = lineById.get(id)
    if (line !== undefined) bucketsByMember.set(memberId, line.buckets)
  }
  const memberIds = [...bucketsByMember.keys()]
  for (const part of partsOf(span))
    for (const { memberId, index, ...usage } of await queries.buckets(
      grouping,
      memberIds,
      part,
      providerIds,
    )) {
      const at = plusMs(part.from, index * part.bucketSeconds * 1000)
      const bucket = bucketsByMember.get(memberId)?.[bucketIndexOf(at, span)]
      if (bucket !== undefined) addTo(bucket, usage)
    }
  return lines
}

/** Queries that make the buckets of a span. A partial first bucket is read in the range's own width, because a wider sum includes what came before. */
function partsOf({ range, from, start, end, bucketSeconds }: UsageSpan) {
  if (range === 'all' || from === start) return [{ from: start, to: end, bucketSeconds }]
  const next = plusMs(start, bucketSeconds * 1000)
  return [
    { from, to: next, bucketSeconds: fixedRanges[range].bucketSeconds },
    { from: next, to: end, bucketSeconds },
  ]
}

function bucketsOf({ bucketCount }: Pick<UsageSpan, 'bucketCount'>): readonly UsageSum[] {
  return Array.from({ length: bucketCount }, emptySum)
}

async function recentUsage(
  tables: UsageTables,
  now: EpochMs,
): Promise<Pick<UsageSummary, 'live' | 'lastDay'>> {
  const liveSince = plusMs(now, -LIVE_WINDOW_SECONDS * 1000)
  const { from: since } = usageSpanOf('24h', now, null)
  const byAccount = await tables.named('account')
  const liveAccounts = await rowsBetween(tables, byAccount, liveSince, now)
  const accounts = await rowsBetween(tables, byAccount, since, now)
  return {
    live: {
      ...sumOfUsage(liveAccounts),
      lastEventAt: await tables.extent.latest(now),
      accounts: liveAccounts,
      activeClients: (await rowsBetween(tables, await tables.named('client'), liveSince, now))
        .length,
    },
    lastDay: {
      ...sumOfUsage(accounts),
      accounts,
      models: await rowsBetween(tables, await tables.named('model'), since, now),
    },
  }
}
