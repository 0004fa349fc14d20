import type { EpochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import type { UsageStore } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import {
  cutOf,
  type RetentionPlan,
  type RetentionStep,
  type TakenPrices,
} from '../contract/history-store.ts'
import { createWaitingSums } from '../usage/waiting-sums.ts'
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

export type HistoryStore = ReturnType<typeof createHistoryStore>

/** The writer of a store with any engine. Its methods run one after the other; one that rejects with HistoryError has changed nothing. */
export function createHistoryStore(engine: Engine, isNew: boolean) {
  const { db, lockCut, checkpoint, close } = engine
  const queue = serialQueue()
  const waiting = createWaitingSums()
  const usageStores = new Map<UpstreamName, UsageStore>()
  return {
    usageOf(upstream: UpstreamName): UsageStore {
      const known = usageStores.get(upstream)
      if (known !== undefined) return known
      const usage = queued(queue, createUsageStore(engine, upstream, waiting))
      usageStores.set(upstream, usage)
      return usage
    },
    quota: queued(queue, createQuotaStore(engine)),
    ...queued(queue, {
      /** Facts about the open store; one is null if nothing was stored yet. */
      async facts() {
        const values = await readMeta(db)
        return {
          /** Whether the store was empty before it was opened. */
          isNew,
          engine: await engine.state(),
          /** Start time of the newest request, by the proxy's clock; null without rows. */
          newestRecordAt: await rowTime(db, 'max'),
          /** A time at which the store had no expired row: the last deletion, or the oldest row if there was no deletion; null without rows. */
          forgottenAsOf: values.instant('forgotten_as_of_ms') ?? (await rowTime(db, 'min')),
          counters: values.counters(),
        }
      },
      /** Takes a price file for the models that the store has seen, from the UTC day `today` on; returns the prices that are new. */
      takePrices: (file: TakenPrices, today: number) => takePrices(db, file, today),
      /** All proxies whose usage was ever kept, oldest first. */
      async upstreams(): Promise<readonly UpstreamName[]> {
        const { upstreams } = db.tables
        const found = await select(db, upstreams, ['name'], sql`ORDER BY ${upstreams.id}`)
        return found.map(({ name }) => name)
      },
      /** Milliseconds since `since` in which usage may have been missed. */
      missedMs: (since: EpochMs, now: EpochMs) => missedTime(db, since, now),
      /** Deletes some expired rows in one short step; false if there were none. */
      async retain(plan: RetentionPlan, step: RetentionStep): Promise<boolean> {
        // First, because it reads the requests.
        return (await sumRatesInTurn(engine, waiting, step.asOf)) || engine.retain(plan, step)
      },
      /** Age of the oldest row beyond the plan's cut in milliseconds; 0 if no row is older than the cut. */
      async backlogMs(plan: RetentionPlan, asOf: EpochMs): Promise<number> {
        const at = await rowTime(db, 'min')
        return at === null ? 0 : Math.max(0, cutOf(plan, asOf) - at)
      },
      /**
       * Undoes the effects of a clock that was ahead of `falseAfter`: a cut, gaps and changes. Needs no lease: while the cut is in the future, no
       * monitor's records would be stored.
       */
      async settleFuture(falseAfter: EpochMs): Promise<void> {
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
