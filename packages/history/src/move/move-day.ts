import { DAY_MS, HOUR_MS } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import type { ImportTarget } from '../backup/format/import-target.ts'
import { DAY_TIER_SECONDS, type Grouping, groupings, tiers } from '../usage/tiers.ts'
import type { MoveDatabase } from './move-database.ts'
import type { HourSums, MovedNames, MoveFile } from './move-file.ts'
import {
  isEqual,
  isWithin,
  lacking,
  type NamedSum,
  NOTHING,
  placeOf,
  type SumsByPlace,
  sumsByPlace,
  totalOf,
} from './moved-sums.ts'

/** Source, target and names of a day's move. */
export interface DayMove {
  readonly file: MoveFile
  readonly database: MoveDatabase
  readonly target: ImportTarget
  readonly names: MovedNames
  /** Proxies of the file by their names in the database. */
  readonly upstreams: readonly UpstreamName[]
  /** Start of the rows the database still keeps. */
  readonly keptFromMs: number
  /** Called after each transaction. */
  readonly moved: (rows: number) => Promise<void>
}

/** A difference between both sides after a day was moved. */
export interface DayDifference {
  readonly startMs: number
  readonly of: 'rows' | Grouping
  /** Number of hours or members that differ. */
  readonly count: number
  readonly file: Amounts
  readonly database: Amounts
}

/** Sums of the differing hours or members. */
export interface Amounts {
  readonly requests: number
  readonly tokens: number
  readonly failed: number
}

/** Moves the part of a day that the database lacks, and compares. All reads of the file are of one moment. Rejects with HistoryError. */
export function moveDay(
  move: DayMove,
  startMs: number,
): Promise<{ readonly added: number; readonly differences: readonly DayDifference[] }> {
  return move.file.atOneMoment(async () => {
    const added = await moveRows(move, startMs)
    await moveSums(move, startMs)
    return { added, differences: await differencesOf(move, startMs) }
  })
}

/** Moves the rows of hours that differ. */
async function moveRows(
  { file, database, target, names, upstreams, keptFromMs, moved }: DayMove,
  startMs: number,
): Promise<number> {
  let added = 0
  const hours = file.hours(Math.max(startMs, keptFromMs), startMs + DAY_MS)
  if (hours.size === 0) return 0
  const there = await database.hours(startMs, startMs + DAY_MS, upstreams)
  for (const hourMs of hours.keys()) {
    if (hours.get(hourMs) === there.get(hourMs)) continue
    const fromMs = Math.max(hourMs, keptFromMs)
    for (const page of file.requests(fromMs, hourMs + HOUR_MS, names)) {
      added += await target.add(page)
      await moved(page.length)
    }
  }
  await target.end()
  return added
}

/** Moves sums of requests that are gone. On a day with only the file's proxies the larger sums stay; otherwise the missing part is added. */
async function moveSums(move: DayMove, startMs: number): Promise<void> {
  const { file, database, names, upstreams } = move
  const [here, there] = await daysOf(move, startMs)
  const isLacking = [...here.values()].some(
    (sum) => !isWithin(sum.measures, measuresIn(there, sum)),
  )
  if (!isLacking) return
  if (isAlone(there, upstreams)) {
    const byTier = new Map(
      tiers.map(({ seconds }) => [
        seconds,
        [...sumsByPlace(file.sums(seconds, startMs, startMs + DAY_MS, names)).values()],
      ]),
    )
    return database.put(byTier, 'larger')
  }
  const [own, wanted] = [ofUpstreams(there, upstreams), ofUpstreams(here, upstreams)]
  if (isWithin(wanted, own)) return
  const byTier = new Map<number, readonly NamedSum[]>()
  for (const { seconds } of tiers) {
    const rows = sumsByPlace(
      await database.sumsOfRows(seconds, startMs, startMs + DAY_MS, upstreams),
    )
    // Sums added earlier cannot be told from the rest: the comparison shows it.
    if (seconds === DAY_TIER_SECONDS && !isEqual(ofUpstreams(rows, upstreams), own)) return
    const sums = sumsByPlace(file.sums(seconds, startMs, startMs + DAY_MS, names))
    byTier.set(
      seconds,
      [...sums.values()]
        .map((sum) => ({ ...sum, measures: lacking(sum.measures, measuresIn(rows, sum)) }))
        .filter(({ measures }) => !isEqual(measures, NOTHING)),
    )
  }
  await database.put(byTier, 'add')
}

async function daysOf(
  { file, database, names }: DayMove,
  startMs: number,
): Promise<readonly [file: SumsByPlace, database: SumsByPlace]> {
  const stretch = [startMs, startMs + DAY_MS] as const
  return [
    sumsByPlace(file.sums(DAY_TIER_SECONDS, ...stretch, names)),
    sumsByPlace(await database.sums(DAY_TIER_SECONDS, ...stretch)),
  ]
}

function measuresIn(sums: SumsByPlace, sum: NamedSum) {
  return sums.get(placeOf(sum))?.measures ?? NOTHING
}

/** Whether a day has no other proxy. */
function isAlone(sums: SumsByPlace, upstreams: readonly UpstreamName[]): boolean {
  return [...sums.values()].every(
    ({ grouping, member }) => grouping !== 'upstream' || upstreams.includes(member),
  )
}

function ofUpstreams(sums: SumsByPlace, upstreams: readonly UpstreamName[]) {
  return totalOf(
    [...sums.values()].filter(
      ({ grouping, member }) => grouping === 'upstream' && upstreams.includes(member),
    ),
  )
}

async function differencesOf(move: DayMove, startMs: number): Promise<readonly DayDifference[]> {
  const { file, database, upstreams, keptFromMs } = move
  const fromMs = Math.max(startMs, keptFromMs)
  const rows =
    fromMs >= startMs + DAY_MS
      ? []
      : differenceOfRows(
          startMs,
          file.hours(fromMs, startMs + DAY_MS),
          await database.hours(fromMs, startMs + DAY_MS, upstreams),
        )
  const [here, there] = await daysOf(move, startMs)
  const alone = isAlone(there, upstreams)
  const all = totalOf([...there.values()].filter(({ grouping }) => grouping === 'upstream'))
  /** If others share a sum, only a missing part is a difference: all proxies together have no more than the total. */
  const isSame = (sum: NamedSum) => {
    const [one, other] = [measuresIn(here, sum), measuresIn(there, sum)]
    const isOwn = sum.grouping === 'upstream' && upstreams.includes(sum.member)
    if (alone || isOwn) return isEqual(one, other)
    return isWithin(sum.grouping === 'total' ? all : one, other)
  }
  const both = [...sumsByPlace([...here.values(), ...there.values()]).values()]
  const byGrouping = (Object.keys(groupings) as Grouping[]).flatMap((grouping) => {
    const unlike = both.filter((sum) => sum.grouping === grouping && !isSame(sum))
    if (unlike.length === 0) return []
    const amounts = (sums: SumsByPlace) =>
      totalOf(unlike.map((sum) => ({ ...sum, measures: measuresIn(sums, sum) })))
    const count = unlike.length
    return [{ startMs, of: grouping, count, file: amounts(here), database: amounts(there) }]
  })
  return [...rows, ...byGrouping]
}

function differenceOfRows(
  startMs: number,
  here: HourSums,
  there: HourSums,
): readonly DayDifference[] {
  const hours = [...new Set([...here.keys(), ...there.keys()])]
  const unlike = hours.filter((hour) => here.get(hour) !== there.get(hour))
  if (unlike.length === 0) return []
  const amounts = (sums: HourSums): Amounts => {
    const total = [0, 0, 0]
    for (const hour of unlike)
      for (const [index, value] of (sums.get(hour) ?? '0 0 0').split(' ').entries())
        if (index < total.length) total[index] = (total[index] ?? 0) + Number(value)
    const [requests = 0, tokens = 0, failed = 0] = total
    return { requests, tokens, failed }
  }
  const count = unlike.length
  return [{ startMs, of: 'rows', count, file: amounts(here), database: amounts(there) }]
}
