import { epochMs } from '@svc/core'
import {
  type BandRates,
  type DatedPrice,
  type PriceSource,
  pricesAfterReading,
} from '@svc/core/money'
import { sql } from 'drizzle-orm'
import type { TakenPrices } from '../contract/history-store.ts'
import { tierNumber, tierOf } from '../usage/measures.ts'
import { type Connection, insert, onlyValue, select } from './connection.ts'

/** Stores prices of the file for models that the store has seen, where they differ from those in force. `today`: number of the UTC day. */
export async function takePrices(
  db: Connection,
  { models, source }: TakenPrices,
  today: number,
): Promise<readonly DatedPrice[]> {
  const { tables } = db
  const known = await select(db, tables.models, ['id', 'name'])

  const inForce = await storedPrices(db)
  const changed = pricesAfterReading({
    inForce,
    models: known.map(({ name }) => name),
    file: { models },
    source,
    today,
  })
  if (changed.length === 0) return []
  const ids = new Map<string, number>(known.map(({ id, name }) => [name, id]))
  await db.transaction('write', async () => {
    const sourceId = await sourceIdOf(db, source)
    for (const { model, fromDay, rates } of changed) {
      const modelId = ids.get(model) ?? 0
      const { prices } = tables
      await db.run(
        sql`DELETE FROM ${prices} WHERE ${prices.modelId} = ${modelId} AND ${prices.fromDay} = ${fromDay}`,
      )
      await insert(
        db,
        prices,
        rates.map(({ tier, band, rates: { in: rateIn, read, write, out } }) => ({
          ...{ modelId, tier: tierNumber(tier), band, fromDay, sourceId },
          ...{ rateIn, rateRead: read, rateWrite: write, rateOut: out },
        })),
      )
    }
  })
  return changed
}

/** Number of a source, which is stored once. Call inside a transaction. */
export async function sourceIdOf(
  db: Connection,
  { kind, sha256, readAt }: Omit<PriceSource, 'kind'> & { readonly kind: string },
): Promise<number> {
  const { priceSources } = db.tables
  const same = sql`${priceSources.kind} = ${kind} AND ${priceSources.sha256} = ${sha256} AND ${priceSources.readAtMs} = ${readAt}`
  const known = await onlyValue(
    db,
    sql`SELECT min(${priceSources.id}) AS value FROM ${priceSources} WHERE ${same}`,
  )
  if (known !== null) return known
  const last = await onlyValue(
    db,
    sql`SELECT max(${priceSources.id}) AS value FROM ${priceSources}`,
  )
  const id = (last ?? 0) + 1
  await insert(db, priceSources, [{ id, kind, sha256, readAtMs: readAt }])
  return id
}

/** All prices of the store, oldest first. */
export async function storedPrices(db: Connection): Promise<readonly DatedPrice[]> {
  const { models, prices, priceSources } = db.tables
  const rows = await db.rows<PriceRow>(
    sql`SELECT ${models.name} AS model, tier, band, from_day AS "fromDay", rate_in AS "in", rate_read AS "read", rate_write AS "write",
      rate_out AS "out", kind, sha256, read_at_ms AS "readAt"
      FROM ${prices} JOIN ${models} ON ${models.id} = model_id JOIN ${priceSources} ON ${priceSources.id} = source_id
      ORDER BY from_day, model_id, tier, band`,
  )
  const found = new Map<string, DatedPrice & { readonly rates: BandRates[] }>()
  for (const { model, fromDay, tier, band, kind, sha256, readAt, ...rates } of rows) {
    const key = `${fromDay} ${model}`
    const source = { kind, sha256, readAt: epochMs(readAt) }
    const price = found.get(key) ?? { model, fromDay, rates: [], source }
    found.set(key, price)
    price.rates.push({ tier: tierOf(tier), band, rates })
  }
  return [...found.values()]
}

interface PriceRow {
  readonly model: string
  readonly tier: number
  readonly band: number
  readonly fromDay: number
  readonly in: number | null
  readonly read: number | null
  readonly write: number | null
  readonly out: number | null
  readonly kind: PriceSource['kind']
  readonly sha256: string
  readonly readAt: number
}
