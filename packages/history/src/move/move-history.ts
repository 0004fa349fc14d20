import { type EpochMs, epochMs } from '@svc/core'
import { DEFAULT_UPSTREAM, type UpstreamName } from '@svc/core/service'
import { BackupError, type Progress } from '../backup/format/backup-progress.ts'
import { importTarget } from '../backup/postgres/postgres-target.ts'
import { connectionOf } from '../postgres/address.ts'
import { migrate } from '../postgres/migrate.ts'
import { openSession, type Session } from '../postgres/session.ts'
import { createMoveDatabase } from './move-database.ts'
import { type DayDifference, moveDay } from './move-day.ts'
import { type MovedNames, type MoveFile, openMoveFile } from './move-file.ts'
import { moveMeta, takeIdentity } from './move-meta.ts'
import { moveNotes, movePoints, movePositions, moveReadings } from './move-observed.ts'

/** Source and target of a move. Paths are absolute. */
export interface MoveOptions {
  /** Path of a file, which a service may keep writing. */
  readonly from: string
  /** Address of a database. */
  readonly to: string
  readonly passwordFile: string | null
  /** Name of the file's proxy `default` in a database that may have the history of others; null: names stay. */
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
  const file = openMoveFile(options.from)
  try {
    const session = await openSession(connectionOf(options.to, options.passwordFile))
    try {
      await migrate(session)
      return await moveInto(session, file, options)
    } finally {
      await session.close()
    }
  } finally {
    file.close()
  }
}

async function moveInto(
  session: Session,
  file: MoveFile,
  { upstream, now, onProgress, stop }: MoveOptions,
): Promise<MoveResult> {
  const isMerge = upstream !== null
  const own = file.meta()
  const there = await takeIdentity(session, own, isMerge)
  const names = namesOf(own.get('instance') ?? '', there.get('instance') ?? '', upstream)
  const upstreams = file.upstreams().map(names.upstream)
  const origin = {
    meta: { cut: null, firstPoll: null, identity: new Map() },
    certainAt: epochMs(Math.min(now, file.newestAt() ?? now)),
  }
  const target = await importTarget(session, origin, upstreams)
  const database = createMoveDatabase(session)
  const days = file.days()
  const total = days.reduce((sum, { requests }) => sum + requests, 0)
  let done = 0
  const moved = async (rows: number) => {
    done += rows
    onProgress?.({ rows: Math.min(done, total), total })
    await new Promise((resolve) => setImmediate(resolve))
    if (stop?.aborted === true)
      throw new BackupError('interrupted: run the same command again to go on')
  }
  await moveNotes(file, target, names)
  const differences: DayDifference[] = []
  let added = 0
  const keptFromMs = keptFrom(own, there)
  let before = 0
  for (const { startMs, requests } of days) {
    const day = { file, database, target, names, upstreams, keptFromMs, moved }
    const result = await moveDay(day, startMs)
    added += result.added
    differences.push(...result.differences)
    before += requests
    done = before
    await moved(0)
  }
  await moveReadings(file, session, names)
  if (!isMerge) await movePoints(file, session)
  await movePositions(file, session, names.upstream)
  await moveMeta(session, own, { isMerge })
  return { days: days.length, added, differences }
}

/** Start of the rows to move: rows that a monitor on the database has already forgotten do not return. */
function keptFrom(own: ReadonlyMap<string, string>, there: ReadonlyMap<string, string>): number {
  const [here, other] = [own, there].map((meta) => Number(meta.get('cut_ms') ?? 0))
  return other !== undefined && here !== undefined && other > here ? other : 0
}

/** Assigns the accounts of the file's monitor to the database's monitor. */
function namesOf(own: string, there: string, renamed: UpstreamName | null): MovedNames {
  return {
    instance: (name) => (name === own ? there : name),
    upstream: (name) => (name === DEFAULT_UPSTREAM && renamed !== null ? renamed : name),
  }
}
