import { statSync } from 'node:fs'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import {
  addTo,
  breakdownOf,
  LIVE_WINDOW_SECONDS,
  sumOfUsage,
  totalMember,
  type UsageGroup,
  type UsageHistory,
  type UsageLine,
  type UsageMeasures,
  type UsageMember,
  type UsageQuery,
  type UsageRow,
  type UsageSeries,
  type UsageSpan,
  type UsageSummary,
  usageSpanOf,
} from '@svc/core/usage'
import { clientsByApiName } from './client-names.ts'
import { createCourseReader, type StoredCourses } from './course-reader.ts'
import { historyErrorOf } from './history-error.ts'
import { createMeta } from './meta.ts'
import { missedMs } from './missed-time.ts'
import { openForReading } from './open-database.ts'
import { DAY_TIER_SECONDS, type Grouping, groupings, TOTAL_MEMBER } from './rollups.ts'
import { atOneMoment, type Database } from './sqlite.ts'
import { createUsageQueries, type MemberUsage } from './usage-query.ts'

/** Answers from a store. Each answer is one moment of it. */
export interface StoredUsage {
  series(query: UsageQuery, now: EpochMs): UsageSeries
  summary(now: EpochMs): UsageSummary
  /** Labels of clients from now on, by API name. */
  useLabels(labels: ReadonlyMap<string, string>): void
}

const DAY_MS = 86_400_000
const COVERAGE_DAYS = 30
/** What groups are put together from; clients are API names under their labels. */
const GROUPING_OF: Readonly<Record<UsageGroup, Grouping>> = {
  total: 'total',
  account: 'account',
  client: 'api',
  model: 'model',
  api: 'api',
}

/** Opens a store for questions about usage and about the course of quota; it never writes. Throws HistoryError, as every question does. */
export function openUsage(options: {
  readonly path: string
  readonly retentionDays: number
}): StoredUsage & StoredCourses & { close(): void } {
  const db = openForReading(options.path)
  const stored = createStoredUsage(db, options)
  const courses = createCourseReader(db)
  const withHistoryErrors = <Answer>(ask: () => Answer): Answer => {
    try {
      return ask()
    } catch (error) {
      throw historyErrorOf(error)
    }
  }
  return {
    series: (query, now) => withHistoryErrors(() => stored.series(query, now)),
    summary: (now) => withHistoryErrors(() => stored.summary(now)),
    useLabels: stored.useLabels,
    course: (query, moment) => withHistoryErrors(() => courses.course(query, moment)),
    close: () => void db.close(),
  }
}

function createStoredUsage(
  db: Database,
  { path, retentionDays }: { readonly path: string; readonly retentionDays: number },
): StoredUsage {
  const queries = createUsageQueries(db)
  const meta = createMeta(db)
  const firstRow = db.prepare('SELECT min(at_ms) FROM usage').pluck()
  const lastRow = db.prepare('SELECT max(at_ms) FROM usage WHERE at_ms < ?').pluck()
  const firstDay = db
    .prepare('SELECT min(bucket_s) FROM rollups WHERE grouping = ? AND tier_seconds = ?')
    .pluck()
  const accountNames = db
    .prepare("SELECT id, key, CASE title WHEN '' THEN key ELSE title END FROM accounts")
    .raw()
  const modelNames = db.prepare('SELECT id, name, name FROM models').raw()
  const apiNames = db.prepare('SELECT id, name, name FROM api_names').raw()
  const gapsSince = db
    .prepare('SELECT from_ms, to_ms FROM gaps WHERE to_ms > ? ORDER BY from_ms')
    .raw()
  let labels: ReadonlyMap<string, string> = new Map()

  const membersById = (group: UsageGroup): ReadonlyMap<number, UsageMember> => {
    if (group === 'total') return new Map([[TOTAL_MEMBER, totalMember]])
    const names = { account: accountNames, model: modelNames, api: apiNames, client: apiNames }[
      group
    ]
    const rows = names.all() as (readonly [number, string, string])[]
    if (group !== 'client') return new Map(rows.map(([id, key, label]) => [id, { id: key, label }]))
    const clients = clientsByApiName(
      rows.map(([, name]) => name),
      labels,
      meta.text('fingerprint_key') ?? '',
    )
    return new Map(
      rows.flatMap(([id, name]) => [[id, clients.get(name) ?? { id: name, label: name }] as const]),
    )
  }

  /** Members under one name, as several API names of one client are, added up. */
  const namedRows = (
    memberUsage: readonly MemberUsage[],
    members: ReadonlyMap<number, UsageMember>,
  ): readonly NamedRow[] => {
    const rows = new Map<string, NamedRow>()
    for (const { memberId, ...usage } of memberUsage) {
      const member = members.get(memberId)
      if (member === undefined) continue
      const row = rows.get(member.id) ?? {
        ...member,
        requests: 0,
        tokens: 0,
        failed: 0,
        memberIds: [],
      }
      rows.set(member.id, row)
      addTo(row, usage)
      row.memberIds.push(memberId)
    }
    return [...rows.values()]
  }

  const earliestUsage = (): EpochMs | null => {
    const row = firstRow.get() as number | null
    const dayS = firstDay.get(groupings.total, DAY_TIER_SECONDS) as number | null
    if (dayS === null) return row === null ? null : epochMs(row)
    // Days of which only the rollup is left begin with the day.
    return epochMs(row === null || dayS * 1000 + DAY_MS <= row ? dayS * 1000 : row)
  }

  const linesOf = (
    rows: readonly NamedRow[],
    group: UsageGroup,
    span: UsageSpan,
  ): readonly UsageLine[] => {
    const lineOfMember = new Map<number, LineInWork>()
    const lines = rows.map(({ memberIds, ...row }) => {
      const line = {
        ...row,
        buckets: Array.from({ length: span.bucketCount }, () => ({
          requests: 0,
          tokens: 0,
          failed: 0,
        })),
      }
      for (const memberId of memberIds) lineOfMember.set(memberId, line)
      return line
    })
    const { start: from, end: to, bucketSeconds } = span
    for (const { memberId, index, ...usage } of queries.buckets(
      GROUPING_OF[group],
      [...lineOfMember.keys()],
      {
        from,
        to,
        bucketSeconds,
      },
    )) {
      const bucket = lineOfMember.get(memberId)?.buckets[index]
      if (bucket !== undefined) addTo(bucket, usage)
    }
    return lines
  }

  const seriesOf = (query: UsageQuery, now: EpochMs): UsageSeries => {
    const earliest = earliestUsage()
    const span = usageSpanOf(query.range, now, earliest)
    const breakdownGroup = query.group === 'total' ? 'account' : query.group
    const rows = namedRows(
      queries.members(GROUPING_OF[breakdownGroup], span.start, span.end),
      membersById(breakdownGroup),
    )
    const totals = sumOfUsage(rows)
    const breakdown = breakdownOf(rows, breakdownGroup, query)
    const shown =
      query.group !== 'total'
        ? (breakdown.rows as readonly NamedRow[])
        : totals.requests > 0
          ? [{ ...totalMember, ...totals, memberIds: [TOTAL_MEMBER] }]
          : []
    return {
      span,
      earliest,
      totals,
      lines: linesOf(shown, query.group, span),
      breakdown: {
        ...breakdown,
        rows: (breakdown.rows as readonly NamedRow[]).map(({ memberIds: _, ...row }) => row),
      },
    }
  }

  const recentUsage = (now: EpochMs): Pick<UsageSummary, 'live' | 'lastDay'> => {
    const lastEventAt = lastRow.get(now) as number | null
    const liveSince = plusMs(now, -LIVE_WINDOW_SECONDS * 1000)
    const { start: since } = usageSpanOf('24h', now, null)
    const rowsOf = (group: 'account' | 'model', from: EpochMs): readonly UsageRow[] =>
      namedRows(queries.members(group, from, now), membersById(group)).map(
        ({ memberIds: _, ...row }) => row,
      )
    const liveAccounts = rowsOf('account', liveSince)
    const accounts = rowsOf('account', since)
    return {
      live: {
        ...sumOfUsage(liveAccounts),
        lastEventAt: lastEventAt === null ? null : epochMs(lastEventAt),
        accounts: liveAccounts,
        activeClients: namedRows(queries.members('api', liveSince, now), membersById('client'))
          .length,
      },
      lastDay: { ...sumOfUsage(accounts), accounts, models: rowsOf('model', since) },
    }
  }

  const historyOf = (now: EpochMs): UsageHistory => {
    const first = meta.instant('first_poll_ms')
    const latest = lastRow.get(now) as number | null
    const since = first === null ? now : epochMs(Math.max(first, now - COVERAGE_DAYS * DAY_MS))
    return {
      totals: sumOfUsage(queries.members('total', epochMs(0), now)),
      earliest: earliestUsage(),
      latest: latest === null ? null : epochMs(latest),
      databaseBytes: fileBytes(path) + fileBytes(`${path}-wal`),
      retentionDays,
      lastWriteAt: meta.instant('last_write_ms'),
      duplicates: meta.count('duplicate'),
      missing: meta.count('missing'),
      observedSeconds: Math.max(0, (now - since) / 1000),
      gapSeconds:
        missedMs(gapsSince.all(since) as (readonly [number, number])[], since, now) / 1000,
    }
  }

  return {
    series: (query, now) => atOneMoment(db, () => seriesOf(query, now)),
    summary: (now) => atOneMoment(db, () => ({ ...recentUsage(now), history: historyOf(now) })),
    useLabels(next) {
      labels = next
    },
  }
}

type Mutable<Measures> = { -readonly [Measure in keyof Measures]: Measures[Measure] }

interface NamedRow extends UsageMember, Mutable<UsageMeasures> {
  /** Numbers it goes by in its dictionary. */
  readonly memberIds: number[]
}

interface LineInWork extends UsageRow {
  readonly buckets: readonly Mutable<UsageMeasures>[]
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
