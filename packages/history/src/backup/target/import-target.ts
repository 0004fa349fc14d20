import { DAY_MS, type EpochMs, epochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import { providerOfUsage, type UsageDetail } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { type Connection, insert, namesOf, select } from '../../sql/connection.ts'
import { gapsSince } from '../../sql/coverage.ts'
import type { Bucket, Engine, RowWriter, UsageRow } from '../../sql/engine.ts'
import { giveIdentity, readMeta, setMeta, setMetaOnce } from '../../sql/meta.ts'
import { type FailureCount, putCauses } from '../../sql/numbers.ts'
import { sourceIdOf } from '../../sql/price-store.ts'
import { quotaReads } from '../../sql/quota-store.ts'
import { sumRates } from '../../sql/rate-sums.ts'
import { settleRates } from '../../sql/retention.ts'
import { measureNames, measuresOf, statedOf } from '../../usage/measures.ts'
import { allGroupings, DAY_TIER_SECONDS, rateGroupings } from '../../usage/tiers.ts'
import type { BackupRow } from '../format/backup-format.ts'
import type { BackupLine } from '../format/backup-reader.ts'
import type { BackupMeta } from '../format/backup-values.ts'
import { createDays, dayOf, type ImportDays } from './import-days.ts'
import { createNames, type ImportNames } from './import-names.ts'

/** The parts of an import that differ by engine. */
export interface ImportEngine extends Pick<Engine, 'db' | 'rows' | 'lockCut'> {
  readonly rowsPerTransaction: number
}

/** Facts about the store that the rows come from. */
export interface ImportOrigin {
  readonly meta: BackupMeta
  /** The earlier of now and the newest row, a time that has certainly passed. Fine sums that have expired by then are not stored. */
  readonly certainAt: EpochMs
}

/** Facts that two records of one request have in common. */
export interface StoredRequest {
  readonly at: number
  /** Signed 64-bit number as text. */
  readonly key: string
  readonly account: string
  readonly client: string
  readonly model: string
  readonly tokens: number
}

export type ImportTarget = Awaited<ReturnType<typeof createImportTarget>>

/**
 * An open store that accepts rows of backups. An import only adds to it: nothing is deleted, hidden or reduced. `upstreams` are the proxies of the rows,
 * null if unknown. Rejects with HistoryError, as its methods do.
 */
export async function createImportTarget(
  engine: ImportEngine,
  { meta, certainAt }: ImportOrigin,
  upstreams: readonly UpstreamName[] | null = null,
) {
  const { db, rows: writer } = engine
  await db.transaction('write', () => settleMeta(db, meta))
  const names = createNames(db)
  const days = createDays({ db, names, rows: writer }, certainAt, upstreams)
  return {
    rowsMax: engine.rowsPerTransaction,
    /** Adds rows in one transaction, in the order of a backup. Resolves with the number of new usage rows. */
    async add(lines: readonly BackupLine[]): Promise<number> {
      const usage = await prepare(lines, names, writer)
      const sums = await bucketsOf(lines, names, DAY_TIER_SECONDS)
      const causes = await causesOf(rowsOf(lines, 'failureCauses'), names)
      return db.transaction('write', async () => {
        // Sums of whole days are compared.
        await engine.lockCut('reading')
        await sumRates({ db, names, rows: writer }, endOfDays(lines), certainAt)
        await raiseTitles(db, names, rowsOf(lines, 'accounts'))
        const added = await addUsage(writer, usage, days)
        if (lines.some(({ table }) => table !== 'accounts' && table !== 'usage'))
          await days.end(null)
        await writer.put(largestOf(sums), 'larger')
        await putCauses(db, causes, 'larger')
        await addPrices(db, names, rowsOf(lines, 'prices'))
        await addObserved(db, names, lines)
        return added
      })
    },
    /** Sums up the last day of the rows so far. */
    end: () =>
      db.transaction('write', async () => {
        await engine.lockCut('reading')
        await days.end(null)
      }),
    /** Finds the days that lack sums by rate, among all that are stored. Call once all rows are there. */
    settle: () =>
      db.transaction('write', async () => {
        await engine.lockCut('reading')
        await settleRates(db)
      }),
    facts: () => factsOf(db),
    /** Stored requests that began at these times, of any proxy. */
    requestsAt: (times: readonly EpochMs[]) => requestsAt(db, times),
  }
}

/** Facts about the store that takes the rows. */
async function factsOf(db: Connection) {
  const pool = await quotaReads(db).remembered()
  return {
    instance: (await readMeta(db, ['instance'])).text('instance') ?? '',
    /** Of the last list that a monitor stored. */
    accounts: pool?.accounts.map(({ account }) => account) ?? [],
    /** Names of the clients, which are API keys. */
    clients: (await select(db, db.tables.apiNames, ['name'])).map(({ name }) => name),
    gaps: await gapsSince(db, epochMs(0)),
  }
}

async function requestsAt(
  db: Connection,
  times: readonly EpochMs[],
): Promise<readonly StoredRequest[]> {
  const { accounts, apiNames, models, usage } = db.tables
  const [first, last] = [Math.min(...times), Math.max(...times)]
  return db.rows<StoredRequest>(
    sql`SELECT ${usage.atMs} AS at, CAST(${usage.key} AS text) AS key, ${accounts.key} AS account,
        ${apiNames.name} AS client, ${models.name} AS model, ${usage.tokens} AS tokens
      FROM ${usage} JOIN ${accounts} ON ${accounts.id} = ${usage.accountId}
        JOIN ${apiNames} ON ${apiNames.id} = ${usage.apiNameId} JOIN ${models} ON ${models.id} = ${usage.modelId}
      WHERE ${usage.atMs} BETWEEN ${first} AND ${last} AND ${usage.atMs} IN (${sql.raw(times.join(', '))})`,
  )
}

/** Learns the names in these lines and makes room for their rows. Call before a transaction. */
async function prepare(
  lines: readonly BackupLine[],
  names: ImportNames,
  writer: RowWriter,
): Promise<readonly UsageRow[]> {
  await names.learn(lines)
  const rows = new Map(
    rowsOf(lines, 'usage').map((row) => [`${row.atMs} ${row.key}`, storedRowOf(row, names)]),
  )
  const inOrder = (await names.rates.rowsOf([...rows.values()])).toSorted(
    ({ detail: one }, { detail: other }) => one.at - other.at || (one.key < other.key ? -1 : 1),
  )
  await writer.makeRoom(inOrder.map(({ detail }) => detail.at))
  return inOrder
}

async function addUsage(
  writer: RowWriter,
  rows: readonly UsageRow[],
  days: ImportDays,
): Promise<number> {
  const last = rows.at(-1)
  if (last === undefined) return 0
  await days.begin(rows.map(({ detail }) => detail.at))
  const stored = await writer.insert(rows)
  await days.added(stored)
  await days.end(dayOf(last.detail.at))
  return stored.length
}

/** End of the last day that these lines add to. */
function endOfDays(lines: readonly BackupLine[]): number {
  const starts = [
    ...rowsOf(lines, 'usage').map(({ atMs }) => dayOf(atMs)),
    ...rowsOf(lines, 'rates').map(({ bucketS }) => bucketS * 1000),
  ]
  return Math.max(0, ...starts) + DAY_MS
}

function storedRowOf(row: BackupRow<'usage'>, names: ImportNames) {
  const { atMs, key, instance, account, failed, upstream, apiName, model, tokens, provider } = row
  const { tokensIn, tokensCached, tokensWritten, tokensOut } = row
  const { latencyMs, firstTokenMs, failure, tier } = row
  const classes = [tokensIn, tokensCached, tokensWritten, tokensOut]
  const detail: UsageDetail = Object.assign(
    statedOf([...classes, latencyMs, firstTokenMs, failure, tier]),
    { at: epochMs(atMs), key: BigInt(key), accountKey: account, apiName, model, tokens },
    { failed: failed === 1, provider },
  )
  return {
    detail,
    members: {
      account: names.accountId(instance, account),
      api: names.idOf('apiNames', apiName),
      model: names.idOf('models', model),
      upstream: names.idOf('upstreams', upstream),
      provider: names.idOf('providers', providerOfUsage(detail)),
    },
  }
}

/** Of several buckets whose names were merged, the one with most requests. */
function largestOf(buckets: readonly Bucket[]): readonly Bucket[] {
  const sums = new Map<string, Bucket>()
  for (const bucket of buckets) {
    const { grouping, bucketS, memberId } = bucket.place
    const key = `${grouping} ${bucketS} ${memberId}`
    const known = sums.get(key)
    if (known === undefined || known.sum.requests < bucket.sum.requests) sums.set(key, bucket)
  }
  return [...sums.values()]
}

/** Sums of buckets of one width, whose names are learned. Call before a transaction. */
export async function bucketsOf(
  lines: readonly BackupLine[],
  names: ImportNames,
  tierSeconds: number,
): Promise<readonly Bucket[]> {
  const days = rowsOf(lines, 'days')
  const rates = rowsOf(lines, 'rates')
  const cells = await names.rates.cellIds(
    rates.map((row) => ({
      kind: rateGroupings[row.grouping],
      memberId: names.memberId(row),
      modelId: names.idOf('models', row.model),
      upstreamId: names.idOf('upstreams', row.upstream),
      providerId: names.idOf('providers', row.provider),
      ...{ tier: row.tier, band: row.band },
    })),
  )
  const members = [...days.map(names.memberId), ...cells]
  return [...days, ...rates].map((row, index) => ({
    place: {
      ...{ grouping: allGroupings[row.grouping], tierSeconds, bucketS: row.bucketS },
      memberId: members[index] ?? 0,
    },
    sum: measuresOf(measureNames.map((name) => row[name])),
  }))
}

/** Counts of failures, whose names are learned. Call before a transaction. */
async function causesOf(
  rows: readonly BackupRow<'failureCauses'>[],
  names: ImportNames,
): Promise<readonly FailureCount[]> {
  const ids = await names.rates.causeIds(
    rows.map(({ provider, status, code }) => {
      return { providerId: names.idOf('providers', provider), status, code }
    }),
  )
  const counts = new Map<string, FailureCount>()
  for (const [index, { day, provider, upstream, instance, account, requests }] of rows.entries()) {
    const place = {
      day,
      providerId: names.idOf('providers', provider),
      upstreamId: names.idOf('upstreams', upstream),
      accountId: names.accountId(instance, account),
      causeId: ids[index] ?? 0,
    }
    const key = Object.values(place).join(' ')
    // Causes beyond the limit are one.
    counts.set(key, { ...place, requests: (counts.get(key)?.requests ?? 0) + requests })
  }
  return [...counts.values()]
}

/** Adds prices of days for which the model has none, with their sources. Call inside a transaction. */
async function addPrices(
  db: Connection,
  names: ImportNames,
  rows: readonly BackupRow<'prices'>[],
): Promise<void> {
  for (const { model, kind, sha256, readAtMs, ...price } of rows) {
    const sourceId = await sourceIdOf(db, { kind, sha256, readAt: epochMs(readAtMs) })
    await insert(db, db.tables.prices, [
      { ...price, modelId: names.idOf('models', model), sourceId },
    ])
  }
}

/**
 * Sets titles of accounts. Of two titles the later one in byte order stays, so that the order of imports does not matter. Call inside a transaction.
 */
async function raiseTitles(
  db: Connection,
  names: ImportNames,
  rows: readonly BackupRow<'accounts'>[],
): Promise<void> {
  const { accounts, byBytes } = db.tables
  for (const { instance, account, title } of rows)
    if (title !== '')
      await db.run(
        sql`UPDATE ${accounts} SET ${namesOf(accounts.title)} = ${title}
          WHERE ${accounts.id} = ${names.accountId(instance, account)} AND ${byBytes(accounts.title)} < ${title}`,
      )
}

/** Adds the pool's observations, except those for whose time there is already a row. Call inside a transaction. */
async function addObserved(
  db: Connection,
  names: ImportNames,
  lines: readonly BackupLine[],
): Promise<void> {
  const { capacityPoints, gaps, quotaSamples, recentChanges } = db.tables
  await insert(
    db,
    quotaSamples,
    rowsOf(lines, 'quotaSamples').map(({ instance, account, ...reading }) => {
      return { ...reading, accountId: names.accountId(instance, account) }
    }),
  )
  await insert(db, capacityPoints, rowsOf(lines, 'capacityPoints'))
  const { id, atMs, tone, detail } = recentChanges
  for (const change of rowsOf(lines, 'recentChanges'))
    await db.run(
      sql`INSERT INTO ${recentChanges} (${namesOf(id, atMs, tone, detail)})
        SELECT (SELECT coalesce(max(${id}), 0) + 1 FROM ${recentChanges}), CAST(${change.atMs} AS bigint), ${change.tone}, ${change.detail}
        WHERE NOT EXISTS (SELECT 1 FROM ${recentChanges} WHERE ${atMs} = ${change.atMs} AND ${tone} = ${change.tone} AND ${detail} = ${change.detail})`,
    )
  await insert(
    db,
    gaps,
    rowsOf(lines, 'gaps').map(({ upstream, ...gap }) => {
      return { ...gap, upstreamId: names.idOf('upstreams', upstream) }
    }),
  )
}

function rowsOf<Table extends BackupLine['table']>(
  lines: readonly BackupLine[],
  of: Table,
): readonly BackupRow<Table>[] {
  return lines.flatMap(({ table, row }) => (table === of ? [row as BackupRow<Table>] : []))
}

/**
 * Takes over the backup's identity if the store has none, its first poll if earlier, the day of its tiers if later, and its cut if the store is empty and so continues the backup's
 * store.
 */
async function settleMeta(
  db: Connection,
  { cut, firstPoll, tiersSince = null, identity }: BackupMeta,
): Promise<void> {
  const { usage, sumsOfTier } = db.tables
  const { sums } = sumsOfTier(DAY_TIER_SECONDS)
  const [found] = await db.rows(
    sql`SELECT 1 WHERE EXISTS (SELECT 1 FROM ${usage}) OR EXISTS (SELECT 1 FROM ${sums})`,
  )
  if (found === undefined && cut !== null) await setMetaOnce(db, { cut_ms: cut })
  // A new store keeps the identity of the backup, so that fingerprints of clients stay the same.
  await setMetaOnce(db, Object.fromEntries(identity))
  await giveIdentity(db)
  const own = await readMeta(db)
  const known = own.instant('first_poll_ms')
  if (firstPoll !== null && (known === null || firstPoll < known))
    await setMeta(db, { first_poll_ms: firstPoll })
  if (tiersSince !== null && tiersSince > (own.instant('tiers_since_ms') ?? 0))
    await setMeta(db, { tiers_since_ms: tiersSince })
}

/** Adds rows in transactions. Calls `turn` between two transactions with the number of rows so far. */
export async function addRows(
  target: ImportTarget,
  lines: Iterable<BackupLine>,
  turn: (written: number) => Promise<void>,
) {
  let rows = 0
  let added = 0
  let batch: BackupLine[] = []
  for (const line of lines) {
    batch.push(line)
    rows += 1
    if (batch.length < target.rowsMax) continue
    added += await target.add(batch)
    batch = []
    await turn(rows)
  }
  added += await target.add(batch)
  await target.end()
  return { rows, added }
}
