import { type EpochMs, epochMs, plusMs } from '@svc/core'
import {
  addTo,
  breakdownOf,
  emptyRow,
  emptySum,
  entryOf,
  LIVE_WINDOW_SECONDS,
  type PreviousPeriod,
  previousSpanOf,
  sumOfUsage,
  totalMember,
  type UsageGroup,
  type UsageLine,
  type UsageMember,
  type UsageQuery,
  type UsageRow,
  type UsageSeries,
  type UsageSpan,
  type UsageSum,
  type UsageSummary,
  usageCoverageOf,
  usageSpanOf,
} from '@svc/core/usage'
import { historyErrorOf } from '../contract/history-error.ts'
import type { Grouping } from '../usage/tiers.ts'
import { createCourseReader, type StoredCourses } from './course-reader.ts'
import { createMeta } from './meta.ts'
import { openForReading } from './open-database.ts'
import { createUsageExtent, type UsageExtent } from './usage-extent.ts'
import { createMemberNames, type MembersById } from './usage-members.ts'
import { createUsageQueries, type UsageQueries } from './usage-query.ts'

/** Answers from a store. Each answer is one moment of it. */
export interface StoredUsage {
  series(query: UsageQuery, now: EpochMs): UsageSeries
  summary(now: EpochMs): UsageSummary
  /** Labels of clients from now on, by API name. */
  useLabels(labels: ReadonlyMap<string, string>): void
}

/** What an answer is put together from. */
interface UsageTables extends UsageQueries {
  readonly extent: UsageExtent
  named(group: UsageGroup): NamedGroup
}

/** Usage as it is stored for a group, and what its members are called now. */
interface NamedGroup {
  readonly grouping: Grouping
  readonly members: MembersById
}

/** What groups are put together from; clients are API names under their labels. */
const GROUPING_OF: Readonly<Record<UsageGroup, Grouping>> = {
  total: 'total',
  account: 'account',
  client: 'api',
  model: 'model',
  api: 'api',
}

/** Opens a store for questions about usage and about the course of quota; it never writes. Throws HistoryError, as every question does. */
export function openUsage({
  path,
  retentionDays,
}: {
  readonly path: string
  readonly retentionDays: number
}): StoredUsage & StoredCourses & { close(): void } {
  const db = openForReading(path)
  const meta = createMeta(db)
  const nameMembers = createMemberNames(db, meta)
  let labels: ReadonlyMap<string, string> = new Map()
  const tables: UsageTables = {
    ...createUsageQueries(db),
    extent: createUsageExtent(db, path, meta),
    named: (group) => ({ grouping: GROUPING_OF[group], members: nameMembers(group, labels) }),
  }
  const courses = createCourseReader(db)
  const atOneMoment = <Answer>(read: () => Answer): Answer => {
    try {
      return db.transaction(read)()
    } catch (error) {
      throw historyErrorOf(error)
    }
  }
  return {
    series: (query, now) => atOneMoment(() => seriesOf(tables, query, now)),
    summary: (now) =>
      atOneMoment(() => ({
        ...recentUsage(tables, now),
        history: {
          ...tables.extent.history(now),
          totals: sumOfUsage(tables.members('total', epochMs(0), now)),
          retentionDays,
        },
      })),
    useLabels(next) {
      labels = next
    },
    course: (query, moment) => atOneMoment(() => courses.course(query, moment)),
    close: () => void db.close(),
  }
}

function seriesOf(tables: UsageTables, query: UsageQuery, now: EpochMs): UsageSeries {
  const earliest = tables.extent.earliest()
  const span = usageSpanOf(query.range, now, earliest)
  const breakdownGroup = query.group === 'total' ? 'account' : query.group
  const named = tables.named(breakdownGroup)
  const rows = rowsBetween(tables, named, span.start, span.end)
  const totals = sumOfUsage(rows)
  const breakdown = breakdownOf(rows, breakdownGroup, query)
  const totalRows = totals.requests > 0 ? [{ ...totalMember, ...totals }] : []
  const linesIn = query.group === 'total' ? tables.named('total') : named
  const total = linesOf(tables, tables.named('total'), totalRows, span)
  return {
    span,
    earliest,
    coverage: usageCoverageOf(span, tables.extent.watch(span.start)),
    totals,
    totalBuckets: total[0]?.buckets ?? bucketsOf(span),
    lines: query.group === 'total' ? total : linesOf(tables, named, breakdown.rows, span),
    breakdown,
    previous: query.compare
      ? previousOf(tables, linesIn, query.group === 'total' ? totalRows : breakdown.rows, span)
      : null,
  }
}

/** The same lines in the span before. Its rows are no longer summed up so finely, so its sums are those of its buckets. */
function previousOf(
  tables: UsageTables,
  named: NamedGroup,
  rows: readonly UsageRow[],
  now: UsageSpan,
): PreviousPeriod | null {
  const span = previousSpanOf(now)
  if (span === null) return null
  const [total] = linesOf(tables, tables.named('total'), [{ ...totalMember, ...emptySum() }], span)
  const totalBuckets = total?.buckets ?? bucketsOf(span)
  const lines = linesOf(tables, named, rows, span)
  return {
    span,
    coverage: usageCoverageOf(span, tables.extent.watch(span.start)),
    totals: sumOfUsage(totalBuckets),
    totalBuckets,
    bucketsById: new Map(lines.map(({ id, buckets }) => [id, buckets])),
  }
}

/** Usage by what the members are called: what several API names of one client used is one row. */
function rowsBetween(
  tables: UsageTables,
  { grouping, members }: NamedGroup,
  from: EpochMs,
  to: EpochMs,
): readonly UsageRow[] {
  const rows = new Map<string, UsageMember & UsageSum>()
  for (const { memberId, ...usage } of tables.members(grouping, from, to)) {
    const member = members.get(memberId)
    if (member !== undefined) addTo(entryOf(rows, member, emptyRow), usage)
  }
  return [...rows.values()]
}

function linesOf(
  tables: UsageTables,
  { grouping, members }: NamedGroup,
  rows: readonly UsageRow[],
  { start: from, end: to, bucketSeconds, bucketCount }: UsageSpan,
): readonly UsageLine[] {
  const lines = rows.map((row) => ({
    ...row,
    buckets: bucketsOf({ bucketCount }),
  }))
  const lineById = new Map(lines.map((line) => [line.id, line]))
  const bucketsByMember = new Map<number, readonly UsageSum[]>()
  for (const [memberId, { id }] of members) {
    const line = lineById.get(id)
    if (line !== undefined) bucketsByMember.set(memberId, line.buckets)
  }
  const span = { from, to, bucketSeconds }
  const memberIds = [...bucketsByMember.keys()]
  for (const { memberId, index, ...usage } of tables.buckets(grouping, memberIds, span)) {
    const bucket = bucketsByMember.get(memberId)?.[index]
    if (bucket !== undefined) addTo(bucket, usage)
  }
  return lines
}

function bucketsOf({ bucketCount }: Pick<UsageSpan, 'bucketCount'>): readonly UsageSum[] {
  return Array.from({ length: bucketCount }, emptySum)
}

function recentUsage(tables: UsageTables, now: EpochMs): Pick<UsageSummary, 'live' | 'lastDay'> {
  const liveSince = plusMs(now, -LIVE_WINDOW_SECONDS * 1000)
  const { start: since } = usageSpanOf('24h', now, null)
  const byAccount = tables.named('account')
  const liveAccounts = rowsBetween(tables, byAccount, liveSince, now)
  const accounts = rowsBetween(tables, byAccount, since, now)
  return {
    live: {
      ...sumOfUsage(liveAccounts),
      lastEventAt: tables.extent.latest(now),
      accounts: liveAccounts,
      activeClients: rowsBetween(tables, tables.named('client'), liveSince, now).length,
    },
    lastDay: {
      ...sumOfUsage(accounts),
      accounts,
      models: rowsBetween(tables, tables.named('model'), since, now),
    },
  }
}
