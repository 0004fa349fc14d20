import { epochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import { emptySum, restOf, tiers } from '@svc/core/usage'
import type { BackupLine } from '../backup/format/backup-reader.ts'
import { addRows } from '../backup/target/import-target.ts'
import { createRowWriter } from '../postgres/usage-rows.ts'
import type { Bucket } from '../sql/engine.ts'
import { requestsIn } from '../sql/rate-sums.ts'
import { bucketsOf as summed } from '../sql/usage-rows.ts'
import { createBucketSums } from '../usage/bucket-sums.ts'
import { type AnyGrouping, allGroupings, DAY_TIER_SECONDS } from '../usage/tiers.ts'
import {
  HOUR,
  HOUR_SECONDS,
  hoursOf,
  isEqual,
  isWithin,
  measuresIn,
  type Sums,
  storedDay,
  sumsOf,
  totalOf,
} from './move-sums.ts'
import { bucketsOf, linesOf, type MoveSides } from './moved-file.ts'

const HOUR_MS = HOUR_SECONDS * 1000
const DAY_MS = DAY_TIER_SECONDS * 1000

export interface DayMove extends MoveSides {
  readonly upstreamIds: ReadonlyMap<UpstreamName, number>
  /** Start of the rows that the database still keeps. */
  readonly keptFromMs: number
  /** Called after each transaction with the rows of the day so far. */
  readonly moved: (rows: number) => Promise<void>
}

/** A difference between both sides after a day was moved. */
export interface DayDifference {
  readonly startMs: number
  readonly of: 'rows' | AnyGrouping
  readonly count: number
  readonly file: Amounts
  readonly database: Amounts
}

export type Amounts = Pick<Bucket['sum'], 'requests' | 'tokens' | 'failed'>

/** Moves the part of a day that the database lacks, then compares both sides. Rejects with HistoryError. */
export async function moveDay(
  move: DayMove,
  startMs: number,
): Promise<{ readonly added: number; readonly differences: readonly DayDifference[] }> {
  const { file, session, keptFromMs, upstreamIds } = move
  const endMs = startMs + DAY_MS
  const fromMs = Math.min(Math.max(startMs, keptFromMs), endMs)
  const hours = await hoursOf(file.db, fromMs, endMs)
  const hoursThere = () => hoursOf(session, fromMs, endMs, [...upstreamIds.keys()])
  const added = await moveRows(move, hours, await hoursThere())
  const here = await sumsInFile(move, DAY_TIER_SECONDS, startMs)
  await moveSums(move, startMs, here)
  const there = await storedDay(session, startMs)
  const differences = [
    ...differenceOf('rows', sidesOf(hours, await hoursThere()), isEqual),
    ...differencesOf(move, here, there),
  ]
  return { added, differences: differences.map((found) => ({ startMs, ...found })) }
}

async function moveRows(
  { file, target, names, keptFromMs, moved }: DayMove,
  hours: Sums,
  there: Sums,
): Promise<number> {
  const unlike = [...hours.values()].filter((hour) => !isEqual(hour.sum, measuresIn(there, hour)))
  if (unlike.length === 0) return 0
  function* lines(): Generator<BackupLine> {
    for (const { place } of unlike) {
      const hourMs = place.bucketS * 1000
      const part = { fromMs: Math.max(hourMs, keptFromMs), toMs: hourMs + HOUR_MS }
      yield* linesOf(file, 'usage', names, part)
    }
  }
  return (await addRows(target, lines(), moved)).added
}

/**
 * Moves sums of requests whose rows are gone. If the day has usage of the file's proxies only, the larger sums stay; otherwise the missing part is
 * added.
 */
async function moveSums(move: DayMove, startMs: number, here: Sums): Promise<void> {
  const { session } = move
  const there = await storedDay(session, startMs)
  if ([...here.values()].every((sum) => isWithin(sum.sum, measuresIn(there, sum)))) return
  const alone = isAlone(move, there)
  const own = ofUpstreams(move, there)
  if (!alone && isWithin(ofUpstreams(move, here), own)) return
  const rows = sumsOf(alone ? [] : await bucketsOfRows(move, startMs))
  const ofDay = [...rows.values()].filter(({ place }) => place.tierSeconds === DAY_TIER_SECONDS)
  // Sums added earlier cannot be told from the rest: the comparison shows it.
  if (!alone && !isEqual(ofUpstreams(move, sumsOf(ofDay)), own)) return
  const missing: Bucket[] = []
  for (const { seconds } of tiers)
    for (const { place, sum } of (await sumsInFile(move, seconds, startMs)).values())
      missing.push({ place, sum: restOf(sum, measuresIn(rows, { place, sum })) })
  const some = missing.filter(({ sum }) => !isEqual(sum, emptySum()))
  await session.transaction('write', () =>
    createRowWriter(session).put(some, alone ? 'larger' : 'add'),
  )
}

/** Sums of the moved proxies' single requests in the database, by buckets of every width. */
async function bucketsOfRows(
  { session, ids, upstreamIds }: DayMove,
  startMs: number,
): Promise<readonly Bucket[]> {
  const own = new Set(upstreamIds.values())
  const span = { from: startMs, end: startMs + DAY_MS }
  const sums = createBucketSums()
  for await (const part of requestsIn({ db: session, names: ids }, span))
    for (const { detail, members } of part) if (own.has(members.upstream)) sums.add(detail, members)
  // Also those that have expired.
  return summed(sums, epochMs(0))
}

function sumsInFile(move: DayMove, tierSeconds: number, startMs: number): Promise<Sums> {
  return bucketsOf(move, { fromMs: startMs, toMs: startMs + DAY_MS, tierSeconds })
}

function ofGrouping(sums: Sums, name: 'rows' | AnyGrouping): readonly Bucket[] {
  const grouping = name === 'rows' ? HOUR.grouping : allGroupings[name]
  return [...sums.values()].filter(({ place }) => place.grouping === grouping)
}

function isAlone(move: DayMove, sums: Sums): boolean {
  return ofGrouping(sums, 'upstream').every((sum) => isOwn(move, sum))
}

function isOwn({ upstreamIds }: DayMove, { place }: Bucket): boolean {
  return [...upstreamIds.values()].includes(place.memberId)
}

function ofUpstreams(move: DayMove, sums: Sums) {
  return totalOf(ofGrouping(sums, 'upstream').filter((sum) => isOwn(move, sum)))
}

type Found = Omit<DayDifference, 'startMs'>

function differencesOf(move: DayMove, here: Sums, there: Sums): readonly Found[] {
  const alone = isAlone(move, there)
  const all = totalOf(ofGrouping(there, 'upstream'))
  const sides = sidesOf(here, there)
  return (Object.keys(allGroupings) as AnyGrouping[]).flatMap((grouping) =>
    // If others share a sum, only a missing part is a difference: all proxies together have no more than the total.
    differenceOf(grouping, sides, (one, other, bucket) =>
      alone || (grouping === 'upstream' && isOwn(move, bucket))
        ? isEqual(one, other)
        : isWithin(grouping === 'total' ? all : one, other),
    ),
  )
}

/** The sums of both sides, with the places of either. */
const sidesOf = (here: Sums, there: Sums) => ({ here, there, both: new Map([...here, ...there]) })

function differenceOf(
  of: Found['of'],
  { here, there, both }: ReturnType<typeof sidesOf>,
  isSame: (one: Bucket['sum'], other: Bucket['sum'], bucket: Bucket) => boolean,
): readonly Found[] {
  const unlike = ofGrouping(both, of).filter(
    (bucket) => !isSame(measuresIn(here, bucket), measuresIn(there, bucket), bucket),
  )
  if (unlike.length === 0) return []
  const amountsIn = (sums: Sums) =>
    totalOf(unlike.map((bucket) => ({ ...bucket, sum: measuresIn(sums, bucket) })))
  return [{ of, count: unlike.length, file: amountsIn(here), database: amountsIn(there) }]
}
