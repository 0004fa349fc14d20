import { type EpochMs, epochMs, plusMs } from '@svc/core'
import {
  type AnswerSource,
  addTo,
  breakdownGroupOf,
  breakdownOf,
  countOfStatus,
  emptyRow,
  emptySum,
  entryOf,
  finestKept,
  isByRate,
  isPlanned,
  LIVE_WINDOW_SECONDS,
  longestSpanFrom,
  newestFirst,
  type PercentileQuery,
  type PlanFacts,
  type PreviousPeriod,
  pairOf,
  percentilesOf,
  piecesOf,
  planFacet,
  planUsage,
  previousSpanOf,
  providerOfAccount,
  type QuestionPlan,
  rateSumsOf,
  scaled,
  settledPlan,
  spanAskedBy,
  sumOfUsage,
  timeAskedBy,
  totalMember,
  type UsageBreakdown,
  type UsageCounts,
  type UsageCoverage,
  type UsageDimension,
  type UsageFilter,
  type UsageGroup,
  type UsageLine,
  type UsageMember,
  type UsagePiece,
  type UsageQuestion,
  type UsageRow,
  type UsageSeries,
  type UsageSpan,
  type UsageSum,
  usageCoverageOf,
  usageDimensions,
  usageSpanOf,
  type WatchedTime,
} from '@svc/core/usage'
import { pricedQueries, pricingOf } from './priced-usage.ts'
import { type Grouping, TOTAL_MEMBER } from './tiers.ts'
import {
  type MemberBucket,
  type MembersById,
  PAIR_FACTOR,
  type RowFilter,
  type Selection,
  type UsageTables,
} from './usage-queries.ts'

/** Selected usage, with the names of the members that count: of one group, or of two whose pairs are the members. */
interface NamedUsage {
  readonly selection: Selection
  readonly groups: readonly [MembersById] | readonly [MembersById, MembersById]
}

/** The member with a number; undefined if it does not count. */
function memberIn(
  { groups: [first, second] }: NamedUsage,
  number: number,
): UsageMember | undefined {
  if (second === undefined) return first.get(number)
  const [one, two] = [first.get(Math.floor(number / PAIR_FACTOR)), second.get(number % PAIR_FACTOR)]
  return one === undefined || two === undefined ? undefined : pairOf(one, two)
}

/** Numbers of the members of these rows, with the ids of the rows. */
function numbersIn(
  { groups: [first, second] }: NamedUsage,
  rows: readonly UsageMember[],
): ReadonlyMap<number, string> {
  if (second === undefined) {
    const shown = new Set(rows.map(({ id }) => id))
    return new Map([...first].flatMap(([number, { id }]) => (shown.has(id) ? [[number, id]] : [])))
  }
  const [firsts, seconds] = [numbersById(first), numbersById(second)]
  return new Map(
    rows.flatMap(({ id, members: [one, two] = [] }) =>
      (firsts.get(one?.id ?? '') ?? []).flatMap((number) =>
        (seconds.get(two?.id ?? '') ?? []).map(
          (other) => [number * PAIR_FACTOR + other, id] as const,
        ),
      ),
    ),
  )
}

function numbersById(group: MembersById): ReadonlyMap<string, readonly number[]> {
  const numbers = new Map<string, number[]>()
  for (const [number, { id }] of group) numbers.set(id, [...(numbers.get(id) ?? []), number])
  return numbers
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
  question: UsageQuestion,
  now: EpochMs,
): Promise<UsageSeries> {
  const earliest = await tables.extent.earliest()
  const asked = spanAskedBy(question, now, earliest)
  const book = await tables.book()
  const priced =
    question.metric === 'cost' && !book.isEmpty
      ? pricedQueries(tables, book, await pricingOf(tables, book))
      : {}
  const usageIn = allUsageOnce({ tables, now })
  const factsIn = async (of: UsageSpan): Promise<PlanFacts> => {
    const { rowsSince, pairsSince } = tables
    const { requests } = await usageIn(of)
    return { now, rowsSince, pairsSince, requests, isPricedByAccount: book.isByAccount }
  }
  const facts = await factsIn(asked)
  const plan = planUsage(question, asked, facts)
  const longest = typeof plan === 'string' ? await longestFrom(tables, asked, facts) : null
  const { span, ...answered } = settledPlan(plan, asked, facts, longest)
  const unknownIds = await unknownIdsOf(tables, question.filter)
  const base = {
    span,
    earliest,
    unknownIds,
    isPriced: !book.isEmpty,
    priceSource: book.source,
    ...answered,
  }
  if (typeof plan === 'string') return { ...base, ...(await unanswered(tables, question, span)) }

  const read = { tables: { ...tables, ...priced }, now }
  const selections = await selectionsOf(tables, question, plan, facts)
  const { rows, totals, totalBuckets, linesOf } = await countedUsage(
    read,
    selections,
    span,
    usageIn,
  )
  const breakdown = breakdownOf(rows, breakdownGroupOf(question), question, totals)
  const isTotal = question.group === 'total'
  const totalRows = totals.requests > 0 ? [{ ...totalMember, ...totals }] : []
  const shown = isTotal ? totalRows : breakdown.rows
  const percentilesIn = (of: UsageSpan, { requests }: UsageCounts) =>
    percentilesFrom(tables, selections.timed, {
      scanned: facts.requests,
      rowsSince: facts.rowsSince,
      metric: question.metric,
      span: of,
      requests,
      memberIds: breakdown.rows.map(({ id }) => id),
    })
  /** The previous period. Its totals are sums of its buckets, because finer buckets may be deleted. */
  const previousIn = async (of: UsageSpan | null): Promise<PreviousPeriod | null> => {
    if (of === null) return null
    const planBefore = planUsage(question, of, await factsIn(of))
    if (!isPlanned(planBefore)) return null
    const chosen = await selectionsOf(tables, question, planBefore, facts)
    const before = await countedUsage(read, chosen, of, usageIn)
    const lines = isTotal ? asTotal(before.totalBuckets) : await before.linesOf(shown)
    const totals = sumOfUsage(before.totalBuckets)
    return {
      span: of,
      coverage: usageCoverageOf(of, await tables.extent.watch(of.from)),
      totals,
      totalBuckets: before.totalBuckets,
      bucketsById: new Map(lines.map(({ id, buckets }) => [id, buckets])),
      percentiles: await percentilesIn(of, totals),
    }
  }
  const asTotal = (buckets: readonly UsageCounts[]) => totalRows.map((row) => ({ ...row, buckets }))
  return {
    ...base,
    coverage: coverageOf(span, await tables.extent.watch(span.from), { totals, totalBuckets }),
    totals,
    totalBuckets,
    lines: isTotal ? asTotal(totalBuckets) : await linesOf(shown),
    breakdown,
    facets: await facetsOf(read, question, { span, totals, facts }),
    percentiles: await percentilesIn(span, totals),
    previous: question.compare ? await previousIn(previousSpanOf(span)) : null,
  }
}

/** The answered usage by each further dimension that something tells. */
async function facetsOf(
  read: Reading,
  question: UsageQuestion,
  { span, totals, facts }: Pick<UsageSeries, 'span' | 'totals'> & { readonly facts: PlanFacts },
): Promise<readonly UsageBreakdown[]> {
  const facets: UsageBreakdown[] = []
  for (const group of question.facets ?? []) {
    const facet = planFacet(question, group, span, facts)
    if (facet === null) continue
    const { members } = await selectionsOf(read.tables, facet.question, facet.plan, facts)
    const rows = await rowsBetween(read, members, span)
    facets.push(breakdownOf(rows, group, facet.question, totals))
  }
  return facets
}

/** An answer without usage, for a question that nothing answers. */
async function unanswered(tables: UsageTables, question: UsageQuestion, span: UsageSpan) {
  return {
    coverage: usageCoverageOf(span, await tables.extent.watch(span.from)),
    totals: emptySum(),
    totalBuckets: bucketsOf(span),
    lines: [],
    breakdown: breakdownOf([], breakdownGroupOf(question), question),
    facets: [],
    percentiles: null,
    previous: null,
  }
}

const ALL: RowFilter = { members: [] }
const allUsage: NamedUsage = {
  selection: { source: 'total', groupings: ['total'], filter: ALL },
  groups: [new Map([[TOTAL_MEMBER, totalMember]])],
}

/** Reads the sum of all usage in a span, once for each span. */
function allUsageOnce(read: Reading): (span: Bounds) => Promise<UsageSum> {
  const known = new Map<string, UsageSum>()
  return async (span) => {
    const key = `${span.from} ${span.end}`
    const sum = known.get(key) ?? sumOfUsage(await rowsBetween(read, allUsage, span))
    known.set(key, sum)
    return sum
  }
}

async function longestFrom(tables: UsageTables, span: UsageSpan, facts: PlanFacts) {
  const total = [{ ...totalMember, ...emptySum() }]
  const [line] = await linesOf({ tables, now: facts.now }, allUsage, total, span)
  return longestSpanFrom(newestFirst(span, line?.buckets ?? []), facts)
}

/** Selected usage that makes the parts of a chart: its totals, breakdown, lines and single requests. */
async function selectionsOf(
  tables: UsageTables,
  question: UsageQuestion,
  plan: QuestionPlan,
  facts: PlanFacts,
) {
  const { filter: asked = {}, second, listed } = question
  const filter = await rowFilterOf(tables, asked)
  // Only the breakdown of all usage has members.
  const source = plan.source === 'total' ? 'account' : plan.source
  const group = breakdownGroupOf(question)
  const first = await tables.named(group)
  const groupings = [group, ...(second === undefined ? [] : [second])].map(
    (one) => GROUPING_OF[one],
  )
  const broken: NamedUsage = {
    selection: { source, groupings, filter },
    groups: second === undefined ? [first] : [first, await tables.named(second)],
  }
  const timed = { ...broken, selection: { ...broken.selection, source: 'rows' as const } }
  const everything = totalOf(plan, question, { filter, ...facts })
  const isReadOnce = source === 'rows' && second === undefined && question.metric !== 'cost'
  return { everything, members: limitedTo(broken, source, asked, listed), timed, isReadOnce }
}

type Selections = Awaited<ReturnType<typeof selectionsOf>>

/** Sums of members name no filter, so their members are chosen here. */
function limitedTo(
  named: NamedUsage,
  source: AnswerSource,
  filter: UsageFilter,
  listed: UsageQuestion['listed'],
): NamedUsage {
  if (source === 'rows' || isByRate(source)) return named
  const { provider } = filter
  const ids = source === 'total' || filter[source] === undefined ? null : new Set(filter[source])
  const isWanted = ({ id }: UsageMember) =>
    (ids?.has(id) ?? true) &&
    (source !== 'account' ||
      provider === undefined ||
      provider.includes(providerOfAccount(id, listed) ?? ''))
  return {
    ...named,
    groups: [new Map([...named.groups[0]].filter(([, member]) => isWanted(member)))],
  }
}

/** All selected usage as one member. Sums by account know only listed accounts' providers, so those of providers are added up. */
function totalOf(
  { source }: QuestionPlan,
  { filter: asked = {}, metric }: UsageQuestion,
  { filter, isPricedByAccount }: Pick<Selection, 'filter'> & Pick<PlanFacts, 'isPricedByAccount'>,
): NamedUsage {
  const by = source === 'account' && asked.provider !== undefined ? 'provider' : source
  const { members, failed } = filter
  if (members.length === 0 && failed === undefined && metric !== 'cost') return allUsage
  if (by === 'rows' || isByRate(by)) {
    const filtered = new Set(usageDimensions.filter((dimension) => asked[dimension] !== undefined))
    const sums = by === 'rows' ? null : rateSumsOf(filtered, metric === 'cost' && isPricedByAccount)
    return { ...allUsage, selection: { source: sums ?? by, groupings: ['total'], filter } }
  }
  const ids = new Set(members.flatMap((one) => one.ids))
  const grouping = by === 'total' ? by : GROUPING_OF[by]
  return {
    selection: { source: by, groupings: [grouping], filter },
    groups: [new Map([...ids].map((id) => [id, totalMember]))],
  }
}

/** Dimensions of which a filter names an id that no request has. */
export async function unknownIdsOf(tables: Pick<UsageTables, 'named'>, filter: UsageFilter = {}) {
  const unknown: UsageDimension[] = []
  for (const dimension of usageDimensions) {
    const asked = filter[dimension]
    if (asked === undefined) continue
    const known = new Set([...(await tables.named(dimension)).values()].map(({ id }) => id))
    if (asked.some((id) => !known.has(id))) unknown.push(dimension)
  }
  return unknown
}

/** Requests that a filter means, by the numbers of their members. */
export async function rowFilterOf(
  tables: Pick<UsageTables, 'named'>,
  asked: UsageFilter,
): Promise<RowFilter> {
  const members: RowFilter['members'][number][] = []
  for (const dimension of usageDimensions) {
    const ids = asked[dimension]
    if (ids === undefined) continue
    const named = await tables.named(dimension)
    const found = [...named].flatMap(([number, { id }]) => (ids.includes(id) ? [number] : []))
    members.push({ grouping: GROUPING_OF[dimension], ids: found })
  }
  const { result, status } = asked
  return {
    members,
    ...(result === undefined && status === undefined ? {} : { failed: result !== 'ok' }),
    ...(status === undefined ? {} : { failures: status.map((one) => countOfStatus[one]) }),
  }
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

/** Usage of the last minutes and of the last day, and the whole history. */
export async function storedSummary(tables: UsageTables, now: EpochMs) {
  const read = { tables, now }
  /** All members of a group, from their sums. */
  const membersSince = async (source: 'account' | 'client' | 'model', from: EpochMs) => {
    const selection = { source, groupings: [GROUPING_OF[source]], filter: ALL }
    const named: NamedUsage = { selection, groups: [await tables.named(source)] }
    return await rowsBetween(read, named, { from, end: now })
  }
  const liveSince = plusMs(now, -LIVE_WINDOW_SECONDS * 1000)
  const { from: daySince } = usageSpanOf('24h', now, null)
  const live = await membersSince('account', liveSince)
  const accounts = await membersSince('account', daySince)
  const all = await rowsBetween(read, allUsage, { from: epochMs(0), end: now })
  return {
    live: {
      ...sumOfUsage(live),
      lastEventAt: await tables.extent.latest(now),
      accounts: live,
      activeClients: (await membersSince('client', liveSince)).length,
    },
    lastDay: {
      ...sumOfUsage(accounts),
      accounts,
      models: await membersSince('model', daySince),
    },
    history: {
      ...(await tables.extent.history(now)),
      ...(await tables.measured()),
      totals: sumOfUsage(all),
    },
  }
}

/** Usage of a span; single requests are read once for all of it, but not by pair or rate, where nearly each may be a bucket of its own. */
async function countedUsage(
  read: Reading,
  { everything, members, isReadOnce }: Selections,
  span: UsageSpan,
  usageIn: (span: Bounds) => Promise<UsageSum>,
) {
  if (isReadOnce) return await countedByRow(read, members, span)
  const rows = await rowsBetween(read, members, span)
  const [total] = await linesOf(read, everything, [{ ...totalMember, ...emptySum() }], span)
  const totalBuckets = total?.buckets ?? bucketsOf(span)
  // Requests and sums by rate are kept as long for buckets as for totals.
  const { source } = everything.selection
  const totals =
    everything === allUsage
      ? await usageIn(span)
      : sumOfUsage(
          source === 'rows' || isByRate(source)
            ? totalBuckets
            : await rowsBetween(read, everything, span),
        )
  const linesOfRows = (shown: readonly UsageRow[]) => linesOf(read, members, shown, span)
  return { rows, totals, totalBuckets, linesOf: linesOfRows }
}

async function countedByRow({ tables, now }: Reading, named: NamedUsage, span: UsageSpan) {
  const { selection } = named
  const { ratesUntil } = tables
  const pieces = piecesOf('rows', span, { now, bucketSeconds: span.bucketSeconds, ratesUntil })
  const found = await tables.buckets(selection, null, pieces, span)
  const sums = new Map<number, UsageSum>()
  const totalBuckets = bucketsOf(span)
  for (const usage of found) {
    const sum = sums.get(usage.memberId) ?? emptySum()
    sums.set(usage.memberId, sum)
    addTo(sum, usage)
    const bucket = totalBuckets[usage.index]
    if (bucket !== undefined) addTo(bucket, usage)
  }
  const rows = new Map<string, UsageMember & UsageSum>()
  const idOf = new Map<number, string>()
  for (const [number, sum] of sums) {
    const member = memberIn(named, number)
    if (member === undefined) continue
    idOf.set(number, member.id)
    addTo(entryOf(rows, member, emptyRow), sum)
  }
  return {
    rows: [...rows.values()],
    totals: sumOfUsage(sums.values()),
    totalBuckets,
    async linesOf(shown: readonly UsageRow[]): Promise<readonly UsageLine[]> {
      const lines = new Map(shown.map((row) => [row.id, { ...row, buckets: bucketsOf(span) }]))
      for (const usage of found) {
        const bucket = lines.get(idOf.get(usage.memberId) ?? '')?.buckets[usage.index]
        if (bucket !== undefined) addTo(bucket, usage)
      }
      return [...lines.values()]
    },
  }
}

/** Percentiles from single requests, which are read for nothing else. */
async function percentilesFrom(tables: UsageTables, named: NamedUsage, query: PercentileQuery) {
  const time = timeAskedBy(query)
  const times = time === null ? [] : await tables.times(time, named.selection, query.span)
  return percentilesOf(
    query,
    times.flatMap(({ memberId, at, milliseconds }) => {
      const member = memberIn(named, memberId)
      return member === undefined ? [] : [{ at, memberId: member.id, milliseconds }]
    }),
  )
}

interface Reading {
  readonly tables: UsageTables
  readonly now: EpochMs
}

type Bounds = Pick<UsageSpan, 'from' | 'end'>

/** Usage by member name: the API names of one client make one row. */
async function rowsBetween(
  { tables, now }: Reading,
  named: NamedUsage,
  span: Bounds,
): Promise<readonly UsageRow[]> {
  const { selection } = named
  const rows = new Map<string, UsageMember & UsageSum>()
  const { ratesUntil } = tables
  const pieces = piecesOf(selection.source, span, { now, bucketSeconds: null, ratesUntil })
  for (const { memberId, ...usage } of await tables.members(selection, pieces)) {
    const member = memberIn(named, memberId)
    if (member !== undefined) addTo(entryOf(rows, member, emptyRow), usage)
  }
  return [...rows.values()]
}

/** Buckets of rows. */
async function linesOf(
  { tables, now }: Reading,
  named: NamedUsage,
  rows: readonly UsageRow[],
  span: UsageSpan,
): Promise<readonly UsageLine[]> {
  const lines = rows.map((row) => ({ ...row, buckets: bucketsOf(span) }))
  const lineById = new Map(lines.map((line) => [line.id, line]))
  const pieces = piecesOf(named.selection.source, span, {
    now,
    bucketSeconds: span.bucketSeconds,
    ratesUntil: tables.ratesUntil,
  })
  const idOf = numbersIn(named, rows)
  const add = (found: readonly MemberBucket[], share = 1) => {
    for (const { memberId, index, ...usage } of found) {
      const bucket = lineById.get(idOf.get(memberId) ?? '')?.buckets[index]
      if (bucket !== undefined) addTo(bucket, share === 1 ? usage : scaled(usage, share))
    }
  }
  const wanted = [...idOf.keys()]
  const selection = narrowedTo(named.selection, wanted)
  const kept = pieces.filter((piece) => !isGone(piece, tables.rowsSince))
  add(await tables.buckets(selection, wanted, kept, span))
  for (const piece of pieces) {
    if (!isGone(piece, tables.rowsSince) || selection.source === 'rows') continue
    // Without its rows, the edge gets its part of the whole sum, as if used evenly.
    const whole = wholeOf(piece, selection.source, now)
    const share = (piece.to - piece.from) / (whole.to - whole.from)
    add(await tables.buckets(selection, wanted, [whole], span), share)
  }
  return lines
}

/** The selection of these members alone, so that few sums by rate are looked up one by one, and few rows are looked up by their pair. */
function narrowedTo(selection: Selection, ids: readonly number[]): Selection {
  const { source, groupings, filter } = selection
  if (groupings[0] === 'total' || !(isByRate(source) || groupings.length > 1)) return selection
  const [grouping = 'total', second] = groupings
  const own: RowFilter['members'] =
    second === undefined
      ? [{ grouping, ids }]
      : [
          { grouping, ids: ids.map((id) => Math.floor(id / PAIR_FACTOR)) },
          { grouping: second, ids: ids.map((id) => id % PAIR_FACTOR) },
        ]
  return { ...selection, filter: { ...filter, members: [...filter.members, ...own] } }
}

function isGone({ seconds, from }: UsagePiece, rowsSince: EpochMs | null): boolean {
  return seconds === null && rowsSince !== null && from < rowsSince
}

/** The kept sum that an edge is a part of. */
function wholeOf(
  { from }: UsagePiece,
  source: Exclude<AnswerSource, 'rows'>,
  now: EpochMs,
): UsagePiece {
  const { seconds } = finestKept(source, from, now)
  const start = Math.floor(from / 1000 / seconds) * seconds * 1000
  return { seconds, from: epochMs(start), to: epochMs(start + seconds * 1000), sign: 1 }
}

function bucketsOf({ bucketCount }: Pick<UsageSpan, 'bucketCount'>): readonly UsageSum[] {
  return Array.from({ length: bucketCount }, emptySum)
}
