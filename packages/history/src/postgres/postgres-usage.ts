import type { UsageGroup } from '@svc/core/usage'
import { HistoryError } from '../contract/history-error.ts'
import type { StoredUsage, UsageLocation } from '../contract/stored-usage.ts'
import {
  GROUPING_OF,
  type MembersById,
  storedSeries,
  storedSummary,
  type UsageTables,
} from '../usage/stored-usage.ts'
import { everything, membersOf } from '../usage/usage-members.ts'
import { connectionOf } from './address.ts'
import { readCourse } from './course-reader.ts'
import { createMeta } from './meta.ts'
import { versionOf } from './migrate.ts'
import { migrations } from './migrations/migrations.ts'
import { createReaderSessions } from './reader-sessions.ts'
import { openSession, type Session } from './session.ts'
import { createUsageExtent } from './usage-extent.ts'
import { createUsageQueries } from './usage-query.ts'

/** Most answers in progress at once. */
const SESSIONS_MAX = 4

/** Opens a store for reading; the standby answers if one is named. Rejects with HistoryError. */
export async function openPostgresUsage({
  location,
  replica = null,
  passwordFile = null,
  retentionDays,
}: UsageLocation): Promise<StoredUsage> {
  // The password is read for every connection: it may change while the service runs.
  const open = () => openUpToDate(() => connectionOf(replica ?? location, passwordFile))
  const sessions = createReaderSessions(open, { first: await open(), max: SESSIONS_MAX })
  let labels: ReadonlyMap<string, string> = new Map()

  /** One read-only transaction per answer, so that it is of one moment. */
  const atOneMoment = <Answer>(read: (session: Session) => Promise<Answer>): Promise<Answer> =>
    sessions.use((session) => session.transaction('read', () => read(session)))
  const ofTables = <Answer>(read: (tables: UsageTables) => Promise<Answer>): Promise<Answer> =>
    atOneMoment(async (session) =>
      read(await tablesIn(session, { labels, isReplica: replica !== null })),
    )
  return {
    series: (query, now) => ofTables((tables) => storedSeries(tables, query, now)),
    summary: (now) =>
      ofTables(async (tables) => {
        const { history, ...recent } = await storedSummary(tables, now)
        return { ...recent, history: { ...history, retentionDays } }
      }),
    course: (query, moment) => atOneMoment((session) => readCourse(session, query, moment)),
    useLabels(next) {
      labels = next
    },
    close: () => sessions.close(),
  }
}

/** Refuses a store whose schema the writer has not updated yet: it lacks tables the queries need. */
async function openUpToDate(connection: () => ReturnType<typeof connectionOf>): Promise<Session> {
  const session = await openSession(connection())
  try {
    if ((await versionOf(session)) === migrations.length) return session
    throw new HistoryError('cannot_open', 'the history store is not brought up to date yet')
  } catch (error) {
    await session.close()
    throw error
  }
}

/** The tables of one moment: in one transaction. */
async function tablesIn(
  session: Session,
  {
    labels,
    isReplica,
  }: { readonly labels: ReadonlyMap<string, string>; readonly isReplica: boolean },
): Promise<UsageTables> {
  const meta = await createMeta(session).read()
  const fingerprintKey = meta.text('fingerprint_key') ?? ''
  return {
    ...createUsageQueries(session),
    extent: createUsageExtent(session, meta, { isReplica }),
    named: async (group) => ({
      grouping: GROUPING_OF[group],
      members: await memberNames(session, group, { labels, fingerprintKey }),
    }),
  }
}

/** Queries for the names of a group's members: number, key, label. */
const NAMES = {
  account:
    "SELECT id, key, CASE title WHEN '' THEN key ELSE title END AS label FROM svc_quota_monitor.accounts",
  model: allOf('models'),
  api: allOf('api_names'),
  client: allOf('api_names'),
  upstream: allOf('upstreams'),
  provider: allOf('providers'),
} as const satisfies Readonly<Record<Exclude<UsageGroup, 'total'>, string>>

function allOf(table: string): string {
  return `SELECT id, name AS key, name AS label FROM svc_quota_monitor.${table}`
}

/** Names of a group's members; a client label covers all its API names. */
export async function memberNames(
  { rows }: Session,
  group: UsageGroup,
  clients: { readonly labels: ReadonlyMap<string, string>; readonly fingerprintKey: string },
): Promise<MembersById> {
  if (group === 'total') return everything
  const found = await rows<{ id: number; key: string; label: string }>(NAMES[group])
  return membersOf(
    group,
    found.map(({ id, key, label }) => [id, key, label] as const),
    clients,
  )
}
