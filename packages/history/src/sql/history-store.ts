import type { UpstreamName } from '@svc/core/service'
import type { UsageStore } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { cutOf, type HistoryStore } from '../contract/history-store.ts'
import { queued, select, serialQueue } from './connection.ts'
import { missedTime } from './coverage.ts'
import type { Engine } from './engine.ts'
import { readMeta } from './meta.ts'
import { takePrices } from './price-store.ts'
import { createQuotaStore } from './quota-store.ts'
import { sumRatesInTurn } from './rate-sums.ts'
import { takeBackFuture } from './retention.ts'
import { boundsOfStore, rowTime } from './usage-rows.ts'
import { createUsageStore } from './usage-store.ts'

/** The store of an engine, whose methods run one after the other. */
export function createHistoryStore(engine: Engine, isNew: boolean): HistoryStore {
  const { db, lockCut, checkpoint, close } = engine
  const queue = serialQueue()
  const usageStores = new Map<UpstreamName, UsageStore>()
  return {
    usageOf(upstream) {
      const known = usageStores.get(upstream)
      if (known !== undefined) return known
      const usage = queued(queue, createUsageStore(engine, upstream))
      usageStores.set(upstream, usage)
      return usage
    },
    quota: queued(queue, createQuotaStore(engine)),
    ...queued<Omit<HistoryStore, 'usageOf' | 'quota'>>(queue, {
      async facts() {
        const values = await readMeta(db)
        return {
          isNew,
          engine: await engine.state(),
          newestRecordAt: await rowTime(db, 'max'),
          forgottenAsOf: values.instant('forgotten_as_of_ms') ?? (await rowTime(db, 'min')),
          counters: values.counters(),
        }
      },
      takePrices: (file, today) => takePrices(db, file, today),
      async upstreams() {
        const { upstreams } = db.tables
        const found = await select(db, upstreams, ['name'], sql`ORDER BY ${upstreams.id}`)
        return found.map(({ name }) => name)
      },
      missedMs: (since, now) => missedTime(db, since, now),
      async retain(plan, step) {
        // First, because it reads the requests.
        return (await sumRatesInTurn(engine, step.asOf)) || engine.retain(plan, step)
      },
      async backlogMs(plan, asOf) {
        const at = await rowTime(db, 'min')
        return at === null ? 0 : Math.max(0, cutOf(plan, asOf) - at)
      },
      // Needs no lease: while the cut is in the future, no monitor's records would be stored.
      async settleFuture(falseAfter) {
        if ((await boundsOfStore(db)).cut <= falseAfter) return
        await db.transaction('write', async () => {
          await lockCut('reading')
          if ((await boundsOfStore(db)).cut > falseAfter) await takeBackFuture(db, falseAfter)
        })
      },
      checkpoint,
      close,
    }),
  }
}
