import type { UpstreamName } from '@svc/core/service'
import type { UsageStore } from '@svc/core/usage'
import type { HistoryStore } from '../contract/history-store.ts'
import type { OpenOptions } from '../contract/open-options.ts'
import { cutOf } from '../contract/retention-plan.ts'
import { missedTime } from '../sql/gaps.ts'
import { takeBackFuture } from '../sql/retention.ts'
import { queued, serialQueue } from '../sql/serial-queue.ts'
import { rowTime, upstreamNames } from '../sql/store-facts.ts'
import { connectionOf } from './address.ts'
import { createCut } from './cut.ts'
import { createDictionaries } from './dictionary.ts'
import { createFence, type Fence } from './fence.ts'
import { createMeta } from './meta.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/migrations.ts'
import { createPartitions } from './partitions.ts'
import { createPostgresQuotaStore } from './quota-store.ts'
import { retentionStep } from './retention.ts'
import { runSteps } from './run-steps.ts'
import { openSession, type Session } from './session.ts'
import { createUsageRows } from './usage-rows.ts'
import { createUsageStore } from './usage-store.ts'

/** Opens the store at an address; several processes may have it open. Rejects with HistoryError. */
export async function openPostgresStore(
  location: string,
  { passwordFile = null, terms, onUpdate }: OpenOptions = {},
): Promise<HistoryStore> {
  const session = await openSession(connectionOf(location, passwordFile))
  try {
    const version = await migrate(session)
    if (version > 0 && version < migrations.length) onUpdate?.(version, migrations.length)
    return await storeIn(session, createFence(session, terms ?? null))
  } catch (error) {
    await session.close()
    throw error
  }
}

async function storeIn(session: Session, fence: Fence): Promise<HistoryStore> {
  const meta = createMeta(session)
  const isNew = await meta.giveIdentity()
  const dictionaries = createDictionaries(session, (await meta.read()).text('instance') ?? '')
  const serverVersion = await versionOf(session)
  const cut = createCut(session, meta)
  const partitions = createPartitions(session)
  const rows = createUsageRows(session, dictionaries, partitions)
  const quota = createPostgresQuotaStore(session, dictionaries, fence)
  const queue = serialQueue()
  const usageStores = new Map<UpstreamName, UsageStore>()
  const usageOf = (upstream: UpstreamName): UsageStore => {
    const known = usageStores.get(upstream)
    if (known !== undefined) return known
    const parts = { session, fence, meta, cut, dictionaries, rows, partitions }
    const usage = queued(queue, createUsageStore(parts, upstream))
    usageStores.set(upstream, usage)
    return usage
  }
  return {
    usageOf,
    quota: queued(queue, quota),
    ...queued<Omit<HistoryStore, 'usageOf' | 'quota'>>(queue, {
      async facts() {
        const values = await meta.read()
        return {
          isNew,
          engine: { name: 'postgres', serverVersion, dayCount: await partitions.count() },
          newestRecordAt: await runSteps(session, rowTime('max')),
          forgottenAsOf:
            values.instant('forgotten_as_of_ms') ?? (await runSteps(session, rowTime('min'))),
          counters: values.counters(),
        }
      },
      upstreams: () => runSteps(session, upstreamNames()),
      missedMs: (since, now) => runSteps(session, missedTime(since, now)),
      retain: (plan, step) => retentionStep(session, { fence, meta, cut, partitions }, plan, step),
      async backlogMs(plan, asOf) {
        const at = await runSteps(session, rowTime('min'))
        return at === null ? 0 : Math.max(0, cutOf(plan, asOf) - at)
      },
      // Needs no lease: while the cut is in the future, no monitor's records would be stored.
      async settleFuture(falseAfter) {
        if ((await cut.read()) <= falseAfter) return
        await session.transaction('write', async () => {
          if (((await cut.take()) ?? 0) > falseAfter)
            await runSteps(session, takeBackFuture(falseAfter))
        })
      },
      // The database does its own upkeep.
      checkpoint: async () => undefined,
      close: () => session.close(),
    }),
  }
}

/** The server's version, as in `15.8`. */
async function versionOf(session: Session): Promise<string> {
  const [row] = await session.rows<{ server_version: string }>('SHOW server_version')
  return row?.server_version.split(' ')[0] ?? ''
}
