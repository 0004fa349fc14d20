import { statSync } from 'node:fs'
import { type EpochMs, epochMs } from '@svc/core'
import type { UsageGroup } from '@svc/core/usage'
import type { Database } from '@svc/sqlite'
import { HistoryError, historyErrorOf } from '../contract/history-error.ts'
import type { StoredUsage, UsageLocation } from '../contract/stored-usage.ts'
import { earliestOf, observedSince, watchedSince } from '../usage/extent.ts'
import {
  GROUPING_OF,
  type MembersById,
  storedSeries,
  storedSummary,
  type UsageExtent,
  type UsageTables,
} from '../usage/stored-usage.ts'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'
import { everything, membersOf, type NamedRow } from '../usage/usage-members.ts'
import { createCourseReader } from './course-reader.ts'
import { createMissedStretches, createMissedTime } from './gap-reader.ts'
import { createMeta, type Meta } from './meta.ts'
import { NEWEST_VERSION, openForReading } from './open-database.ts'
import { type AtOnce, promised } from './promised.ts'
import { createUsageQueries } from './usage-query.ts'

/** Refuses a store whose schema the writer has not updated yet: it lacks tables the queries need. */
function openUpToDate(location: string): Database {
  const db = openForReading(location)
  if (Number(db.pragma('user_version', { simple: true })) >= NEWEST_VERSION) return db
  db.close()
  throw new HistoryError('cannot_open', 'the history store is not brought up to date yet')
}

/** Opens a store for reading. Throws HistoryError. */
export function openSqliteUsage({ location, retentionDays }: UsageLocation): StoredUsage {
  const db = openUpToDate(location)
  const meta = createMeta(db)
  const nameMembers = createMemberNames(db, meta)
  let labels: ReadonlyMap<string, string> = new Map()
  const tables: UsageTables = {
    ...promised(createUsageQueries(db)),
    extent: promised(createUsageExtent(db, location, meta)),
    named: async (group) => ({
      grouping: GROUPING_OF[group],
      members: nameMembers(group, labels),
    }),
  }
  const courses = createCourseReader(db)
  let turn: Promise<unknown> = Promise.resolve()

  /** Runs answers one after the other, each in its own transaction. */
  const atOneMoment = <Answer>(read: () => Answer | Promise<Answer>): Promise<Answer> => {
    const answer = turn.then(async () => {
      try {
        db.exec('BEGIN')
        return await read()
      } catch (error) {
        throw historyErrorOf(error)
      } finally {
        if (db.inTransaction) db.exec('COMMIT')
      }
    })
    turn = answer.catch(() => undefined)
    return answer
  }
  return {
    series: (query, now) => atOneMoment(() => storedSeries(tables, query, now)),
    summary: (now) =>
      atOneMoment(async () => {
        const { history, ...recent } = await storedSummary(tables, now)
        return { ...recent, history: { ...history, retentionDays } }
      }),
    useLabels(next) {
      labels = next
    },
    course: (query, moment) => atOneMoment(() => courses.course(query, moment)),
    async close() {
      await turn
      db.close()
    },
  }
}

/** Names of a group's members; a client label covers all its API names. */
export type NameMembers = (group: UsageGroup, labels: ReadonlyMap<string, string>) => MembersById

export function createMemberNames(db: Database, meta: Meta): NameMembers {
  const apiNames = db.prepare('SELECT id, name, name FROM api_names').raw()
  const names = {
    account: db
      .prepare("SELECT id, key, CASE title WHEN '' THEN key ELSE title END FROM accounts")
      .raw(),
    model: db.prepare('SELECT id, name, name FROM models').raw(),
    api: apiNames,
    client: apiNames,
    upstream: db.prepare('SELECT id, name, name FROM upstreams').raw(),
    provider: db.prepare('SELECT id, name, name FROM providers').raw(),
  }
  return (group, labels) => {
    if (group === 'total') return everything
    const fingerprintKey = meta.read().text('fingerprint_key') ?? ''
    return membersOf(group, names[group].all() as NamedRow[], { labels, fingerprintKey })
  }
}

export function createUsageExtent(db: Database, path: string, meta: Meta): AtOnce<UsageExtent> {
  const firstRow = db.prepare('SELECT min(at_ms) FROM usage').pluck()
  const lastRow = db.prepare('SELECT max(at_ms) FROM usage WHERE at_ms < ?').pluck()
  const firstDay = db
    .prepare('SELECT min(bucket_s) FROM rollups WHERE grouping = ? AND tier_seconds = ?')
    .pluck()
  const missedMs = createMissedTime(db)
  const missedSince = createMissedStretches(db)

  const earliest = (): EpochMs | null =>
    earliestOf(
      firstRow.get() as number | null,
      firstDay.get(groupings.total, DAY_TIER_SECONDS) as number | null,
    )
  const latest = (now: EpochMs): EpochMs | null => {
    const at = lastRow.get(now) as number | null
    return at === null ? null : epochMs(at)
  }
  return {
    earliest,
    rowsSince: () => meta.read().instant('cut_ms'),
    latest,
    watch: (from) => ({
      since: watchedSince(earliest(), meta.read().instant('first_poll_ms')),
      missed: missedSince(from),
    }),
    history(now) {
      const values = meta.read()
      const since = observedSince(values.instant('first_poll_ms'), now)
      return {
        earliest: earliest(),
        latest: latest(now),
        databaseBytes: fileBytes(path) + fileBytes(`${path}-wal`),
        lastWriteAt: values.instant('last_write_ms'),
        duplicates: values.count('duplicate'),
        missing: values.count('missing'),
        observedSeconds: Math.max(0, (now - since) / 1000),
        gapSeconds: missedMs(since, now) / 1000,
      }
    },
  }
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
