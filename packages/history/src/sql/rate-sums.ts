import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { POOL_LEASE } from '@svc/core/service'
import { type SQL, sql } from 'drizzle-orm'
import { createBucketSums } from '../usage/bucket-sums.ts'
import { statedColumns, statedOf } from '../usage/measures.ts'
import { providerColumn } from '../usage/rates.ts'
import { QUARTER_MS, type WaitingSums } from '../usage/waiting-sums.ts'
import { onlyValue } from './connection.ts'
import type { Engine } from './engine.ts'
import { setMeta } from './meta.ts'
import { boundsOfStore, bucketsOf, rowTime } from './usage-rows.ts'

export interface Writing extends Pick<Engine, 'db' | 'rows'> {
  readonly names: Pick<Engine['names'], 'rates'>
}

/** Age from which requests are summed by rate. Nearly all are told of by then; the others are added one by one. */
const SUMMED_MS = 60_000
/** Maximum number of requests that are read again in one transaction, and at a time into memory. */
const REQUESTS_MAX = 100_000
const REQUESTS_AT_ONCE = 20_000

/**
 * Adds the requests of a quarter of an hour to the sums by rate, if so many have come since the last time; true if more are left. A request has six of these sums,
 * which it shares with few others: added at once they would cost more than all else. Those that this process stored have been summed meanwhile; if others are among
 * them, all are read again. Never goes beyond the newest request, so that those of an outage, which come late but in order, are added together too.
 */
export async function sumRatesInTurn(
  engine: Writing & Pick<Engine, 'fence' | 'lockCut'>,
  waiting: WaitingSums,
  asOf: EpochMs,
): Promise<boolean> {
  const { db, rows } = engine
  const old = plusMs(asOf, -SUMMED_MS)
  const { ratesUntil } = await boundsOfStore(db)
  if (ratesUntil !== null && old < ratesUntil + QUARTER_MS) return false
  return db.transaction('write', async () => {
    await engine.lockCut('reading')
    const afterNewest = ((await rowTime(db, 'max')) ?? 0) + 1
    const from = (await boundsOfStore(db)).ratesUntil ?? afterNewest
    if (ratesUntil === null) await setMeta(db, { rates_until_ms: from })
    const endOfQuarter = Math.floor(old / QUARTER_MS) * QUARTER_MS
    const end = Math.max(from, afterNewest <= old ? afterNewest : endOfQuarter)
    const ours = waiting.take(from, end)
    const areAll = ours !== null && ours.requests === (await requestCount(db, from, end))
    const until = areAll ? end : await endOfPart(engine, { from, end }, REQUESTS_MAX)
    if (areAll) {
      for (const sums of ours.sums) await rows.put(bucketsOf(sums, asOf), 'add')
      await setMeta(db, { rates_until_ms: end })
    } else await sumRates(engine, until, asOf)
    await engine.fence.demand(POOL_LEASE)
    return until < end
  })
}

/** Adds the requests before `until` to the sums by rate, if they are not in them. Call inside a transaction that has locked the cut against being read. */
export async function sumRates(engine: Writing, until: number, asOf: EpochMs): Promise<void> {
  const { db, rows } = engine
  const { ratesUntil } = await boundsOfStore(db)
  if (ratesUntil === null || until <= ratesUntil) return
  const sums = createBucketSums()
  for await (const part of requestsIn(engine, { from: ratesUntil, end: until }))
    for (const { detail, members } of part) sums.addRates(detail, members)
  await rows.put(bucketsOf(sums, asOf), 'add')
  await setMeta(db, { rates_until_ms: until })
}

/** Requests of a span with the numbers of their names and cells, in parts. */
export async function* requestsIn(engine: Pick<Writing, 'db' | 'names'>, { from, end }: Part) {
  for (let at = from; at < end; ) {
    const to = await endOfPart(engine, { from: at, end }, REQUESTS_AT_ONCE)
    yield await engine.names.rates.rowsOf(await requestsBetween(engine, at, to))
    at = to
  }
}

interface Part {
  readonly from: number
  readonly end: number
}

/** End of the first so many requests of a span, and of those that started with the last of them. */
async function endOfPart(
  { db }: Pick<Engine, 'db'>,
  { from, end }: Part,
  requests: number,
): Promise<number> {
  const { usage } = db.tables
  const next = await onlyValue(
    db,
    sql`SELECT ${usage.atMs} AS value FROM ${usage} WHERE ${within(db.tables, from, end)} ORDER BY ${usage.atMs} LIMIT 1 OFFSET ${requests}`,
  )
  return next === null ? end : Math.max(next, from + 1)
}

async function requestCount(db: Engine['db'], from: number, to: number): Promise<number> {
  const { usage } = db.tables
  const counted = sql`SELECT count(*) AS value FROM ${usage} WHERE ${within(db.tables, from, to)}`
  return (await onlyValue(db, counted)) ?? 0
}

function within({ usage }: Engine['db']['tables'], from: number, to: number): SQL {
  return sql`${usage.atMs} >= ${from} AND ${usage.atMs} < ${to}`
}

type RequestRow = Readonly<
  Record<'at' | 'tokens' | 'failed' | 'account' | 'api' | 'model' | 'upstream' | 'provider', number>
> &
  Readonly<Record<string, number | null>>

const STATED = sql.raw(statedColumns.join(', '))

/** Requests of a span, with the numbers of their names. */
async function requestsBetween({ db }: Pick<Engine, 'db'>, from: number, to: number) {
  const { schemaPrefix, usage } = db.tables
  const provider = sql.raw(providerColumn(schemaPrefix))
  const found = await db.rows<RequestRow>(
    sql`SELECT at_ms AS at, tokens, CAST(failed AS integer) AS failed, account_id AS account, api_name_id AS api, model_id AS model,
      upstream_id AS upstream, ${provider} AS provider, ${STATED} FROM ${usage} WHERE ${within(db.tables, from, to)}`,
  )
  return found.map(
    ({ at, tokens, failed, account, api, model, upstream, provider, ...stated }) => ({
      detail: {
        at: epochMs(at),
        tokens,
        failed: failed !== 0,
        ...statedOf(statedColumns.map((column) => stated[column])),
      },
      members: { account, api, model, upstream, provider },
    }),
  )
}
