import { type EpochMs, epochMs } from '@svc/core'
import { DEFAULT_UPSTREAM, type UpstreamName } from '@svc/core/service'
import { type SQL, sql } from 'drizzle-orm'
import { BackupError, type Progress } from '../backup/format/backup-format.ts'
import type { BackupMeta } from '../backup/format/backup-values.ts'
import { importInto } from '../backup/postgres/postgres-target.ts'
import { withFileSource } from '../backup/sqlite/sqlite-source.ts'
import { createNames } from '../backup/target/import-names.ts'
import { createImportTarget } from '../backup/target/import-target.ts'
import { HistoryError } from '../contract/history-error.ts'
import { type CounterName, counterNames } from '../contract/history-store.ts'
import { migrate } from '../postgres/migrate.ts'
import { type Session, withSession } from '../postgres/session.ts'
import { insert, renewed } from '../sql/connection.ts'
import { createDictionaries } from '../sql/dictionary.ts'
import { type DayDifference, moveDay } from './move-day.ts'
import { moveNotes, movePoints, movePositions, moveReadings } from './move-observed.ts'
import { type FileFacts, factsOf, type MovedNames, metaOf } from './moved-file.ts'

type MetaTexts = ReadonlyMap<string, string>

/** Names of values of which the later one is kept. */
const LATER = ['cut_ms', 'forgotten_as_of_ms', 'last_write_ms', 'tiers_since_ms'] as const
/** Matches names of values about the last pool state and about sent notifications. */
const POOL = /^(?:pool$|account |told )/

/** Throws HistoryError, not_ours, if the database has the identity of another file. */
function requireOwn(file: MetaTexts, there: MetaTexts): void {
  if (there.has('instance') && there.get('instance') !== file.get('instance'))
    throw new HistoryError(
      'not_ours',
      'the database holds the history of another monitor: to add this file to it, say with --upstream <name> how its proxy is to be called there; to move it, name an empty database',
    )
}

/** Moves the store's own values except its identity and first poll. May be run again. Rejects with HistoryError. */
async function moveMeta(session: Session, file: MetaTexts): Promise<void> {
  const there = await metaOf(session)
  const instant = (texts: MetaTexts) => Number(texts.get('last_write_ms') ?? Number.NaN)
  await put(
    session,
    [...LATER, ...(counterNames satisfies readonly CounterName[])].flatMap((name) => {
      const value = file.get(name)
      return Number.isSafeInteger(Number(value)) && value !== undefined
        ? [[name, value] as const]
        : []
    }),
    sql`WHERE excluded.value::numeric > t.value::numeric`,
  )
  // A monitor that already runs on the database knows the pool better.
  if (instant(file) < instant(there)) return
  await put(
    session,
    [...file].filter(([name]) => POOL.test(name) && !name.includes('\0')),
    sql``,
  )
}

async function put(
  session: Session,
  entries: readonly (readonly [name: string, value: string])[],
  condition: SQL,
): Promise<void> {
  const { meta } = session.tables
  const sorted = entries.toSorted(([one], [other]) => (one < other ? -1 : 1))
  const rows = sorted.map(([name, value]) => ({ name, value }))
  await insert(session, meta, rows, sql`(name) DO UPDATE SET ${renewed(meta.value)} ${condition}`)
}

/** Source and target of a move. Paths are absolute. */
export interface MoveOptions {
  /** Path of a file, which a service may keep writing. */
  readonly from: string
  readonly to: string
  readonly passwordFile: string | null
  /** New name for the file's proxy `default`, because the database may have the history of other proxies; null keeps the names. */
  readonly upstream: UpstreamName | null
  readonly now: EpochMs
  readonly onProgress?: Progress
  /** Ends the move between two transactions; the next run continues it. */
  readonly stop?: AbortSignal
}

/** Result of a move, with the differences between both sides. */
export interface MoveResult {
  readonly days: number
  /** Usage rows new to the database. */
  readonly added: number
  readonly differences: readonly DayDifference[]
}

/**
 * Copies a file into a database day by day, the newest last, and compares each day. Adds only missing rows, so it may be interrupted and run again.
 * Rejects with HistoryError and BackupError.
 */
export async function moveHistory(options: MoveOptions): Promise<MoveResult> {
  // A file that cannot be read is reported before the database is changed.
  await withFileSource(options.from, factsOf)
  return await withSession(options.to, options.passwordFile, async (session) => {
    await migrate(session)
    return await moveInto(session, await withFileSource(options.from, factsOf), options)
  })
}

async function moveInto(
  session: Session,
  { meta, newestMs, upstreams: given, days }: FileFacts,
  { from, upstream, now, onProgress, stop }: MoveOptions,
): Promise<MoveResult> {
  const isMerge = upstream !== null
  const there = await metaOf(session)
  if (!isMerge) requireOwn(meta, there)
  const names = namesOf(
    meta.get('instance') ?? '',
    there.get('instance') ?? meta.get('instance') ?? '',
    upstream,
  )
  const upstreams = given.map(names.upstream)
  const certainAt = epochMs(Math.min(now, newestMs ?? now))
  const target = await createImportTarget(
    importInto(session),
    { meta: originOf(meta), certainAt },
    upstreams,
  )
  const upstreamIds = await createDictionaries(session, '').upstreams.idsOf(upstreams)
  const ids = createNames(session)
  const side = { session, target, names, ids, upstreamIds }
  const total = days.reduce((sum, { requests }) => sum + requests, 0)
  const turn = async (rows: number) => {
    onProgress?.({ rows: Math.min(rows, total), total })
    await new Promise((resolve) => setImmediate(resolve))
    if (stop?.aborted === true)
      throw new BackupError('interrupted: run the same command again to go on')
  }
  await withFileSource(from, (file) => moveNotes({ ...side, file }))
  const differences: DayDifference[] = []
  let added = 0
  const keptFromMs = keptFrom(meta, there)
  let before = 0
  for (const { startMs, requests } of days) {
    const moved = (rows: number) => turn(before + rows)
    const result = await withFileSource(from, (file) =>
      moveDay({ ...side, file, keptFromMs, moved }, startMs),
    )
    added += result.added
    differences.push(...result.differences)
    before += requests
    await turn(before)
  }
  await withFileSource(from, async (file) => {
    await moveReadings({ ...side, file })
    if (!isMerge) await movePoints({ ...side, file })
    await movePositions({ ...side, file })
  })
  await target.settle()
  if (!isMerge) await moveMeta(session, meta)
  return { days: days.length, added, differences }
}

/** Start of the rows to move, so that rows already deleted by a monitor on the database do not return. */
function keptFrom(own: MetaTexts, there: MetaTexts): number {
  const [here, other] = [own, there].map((meta) => Number(meta.get('cut_ms') ?? 0))
  return other !== undefined && here !== undefined && other > here ? other : 0
}

/** Identity and first poll of the file. `cut` is null, because it is moved last, after the rows. */
function originOf(meta: MetaTexts): BackupMeta {
  const identity = (['instance', 'fingerprint_key'] as const).flatMap((name) => {
    const value = meta.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const firstPoll = Number(meta.get('first_poll_ms') ?? Number.NaN)
  return {
    cut: null,
    firstPoll: Number.isSafeInteger(firstPoll) ? epochMs(firstPoll) : null,
    identity: new Map(identity),
  }
}

/** Maps the file's names to the database's: accounts pass to the database's monitor, and the proxy `default` may get a new name. */
function namesOf(own: string, there: string, renamed: UpstreamName | null): MovedNames {
  return {
    instance: (name) => (name === own ? there : name),
    upstream: (name) => (name === DEFAULT_UPSTREAM && renamed !== null ? renamed : name),
  }
}
