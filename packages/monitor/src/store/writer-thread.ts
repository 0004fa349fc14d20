import { DAY_MS, type EpochMs, plusMs } from '@svc/core'
import type { AskedAccount } from '@svc/core/account'
import type { PoolMemoryUpdate, PoolRecord, QuotaStore } from '@svc/core/pool'
import {
  DEFAULT_UPSTREAM,
  type EngineState,
  type LeaseName,
  leaseOf,
  type UpstreamName,
} from '@svc/core/service'
import type { UsageGap } from '@svc/core/usage'
import {
  type HistoryStore,
  inspectDatabase,
  openHistory,
  queued,
  type RetentionPlan,
  serialQueue,
  type TakenPrices,
} from '@svc/history'
import { isReadableByOthers } from '@svc/secret-files'
import { createIngest } from './ingest.ts'
import type {
  OpenedStore,
  OpenRequest,
  SeenPool,
  StorePlace,
  TrendSeed,
  WriterSetup,
} from './store-threads.ts'

const CHANGES_REMEMBERED = 500
/** One week to judge the forecast by, and the week before it to forecast from. */
const BURN_DAYS = 15

/** Creates the methods of the thread that writes the store. All except `open` and `close` fail with `cannot_open` while no store is open. */
export function createWriterThread({ pricedBy }: WriterSetup) {
  let opened: HistoryStore | null = null
  let passwordFile: string | null = null
  let lagSeconds: () => number | null = () => null
  /** Terms of the held leases of a shared store. */
  const terms = new Map<LeaseName, number>()
  const forget = createForgetSlot(() => performance.now())

  const open = (): HistoryStore => {
    if (opened === null)
      throw Object.assign(new Error('the store is not open'), { code: 'cannot_open' })
    return opened
  }
  const close = async () => {
    const closing = opened
    opened = null
    await closing?.close()
  }

  return queued(serialQueue(), {
    async open({ place, now, isFirst, thorough, held: leases }: OpenRequest): Promise<OpenedStore> {
      await close()
      passwordFile = place.passwordFile
      lagSeconds = createReplicaLag(place)
      terms.clear()
      for (const [lease, term] of leases ?? []) terms.set(lease, term)
      let updated: OpenedStore['updated'] = null
      const store = await openHistory(place.location, {
        thorough,
        passwordFile,
        onUpdate(from, to) {
          updated = { from, to }
        },
        ...(leases === null ? {} : { terms }),
      })
      try {
        // A mark left by this very process belongs to a batch that still waits in its memory. In a shared store, the monitor that takes over a proxy
        // counts its pop.
        const interrupted = isFirst && leases === null ? await endInterruptedPops(store) : []
        opened = store
        const held = await loadOpenedStore(store, now, isFirst)
        return {
          interrupted,
          updated,
          ...held,
          engine: await checkEngine(held.engine, passwordFile),
        }
      } catch (error) {
        opened = null
        await store.close()
        throw error
      }
    },
    close,
    /** Stores the present titles of accounts, by key. */
    nameAccounts: async (titles: ReadonlyMap<string, string>) =>
      open().usageOf(DEFAULT_UPSTREAM).nameAccounts(titles),
    markPop: async (upstream: UpstreamName, at: EpochMs) => open().usageOf(upstream).markPop(at),
    clearPop: async (upstream: UpstreamName) => open().usageOf(upstream).clearPop(),
    stand: async (upstream: UpstreamName, since: EpochMs | null) =>
      open().usageOf(upstream).stand(since),
    standingSince: async (upstream: UpstreamName) => open().usageOf(upstream).standingSince(),
    recordGap: async (upstream: UpstreamName, gap: UsageGap) =>
      open().usageOf(upstream).recordGap(gap),
    recordMissing: async (upstream: UpstreamName, requestCount: number, gap: UsageGap) =>
      open().usageOf(upstream).recordMissing(requestCount, gap),
    ...createIngest(open, pricedBy),
    /** Sets the term under which writes covered by this lease are made from now on. */
    useTerm: (lease: LeaseName, term: number) => void terms.set(lease, term),
    /**
     * Sets the term of a proxy's lease, which another monitor may have held, and reads what it left: a pop during which it died, and the last queries of
     * accounts through any proxy.
     */
    async takeProxy(upstream: UpstreamName, term: number) {
      const usage = open().usageOf(upstream)
      terms.set(leaseOf(upstream), term)
      const interrupted = await usage.endInterruptedPop()
      const asked = await open().quota.asked()
      return { interrupted, lastPollAt: (await usage.position()).lastPollAt, asked }
    },
    /** Reads what other monitors have recorded of the pool. */
    async look(now: EpochMs): Promise<SeenPool> {
      const { quota } = open()
      const [remembered, told] = [await quota.remembered(), await quota.told()]
      return { remembered, told, asked: await quota.asked(), ...(await loadTrends(quota, now)) }
    },
    recordPool: async (record: PoolRecord, memory: PoolMemoryUpdate | null) =>
      open().quota.record(record, memory ?? undefined),
    rememberTold: async (target: string, memory: string) =>
      open().quota.rememberTold(target, memory),
    keepAsked: async (accounts: readonly AskedAccount[], at: EpochMs) =>
      open().quota.keepAsked(accounts, at),
    /** Takes the prices of a file for the models seen so far, from this UTC day on; returns how many are new. */
    takePrices: async (file: TakenPrices, today: number) =>
      (await open().takePrices(file, today)).length,
    forget: async (plan: RetentionPlan, asOf: EpochMs) => forget(open(), plan, asOf),
    async maintain(now: EpochMs) {
      const store = open()
      await store.checkpoint()
      const { engine, newestRecordAt, forgottenAsOf } = await store.facts()
      return {
        engine: await checkEngine(engine, passwordFile),
        newestRecordAt,
        forgottenAsOf,
        /** Unwatched time within the last 24 h, in milliseconds. */
        missedMs: await store.missedMs(plusMs(now, -DAY_MS), now),
        /** Lag of the standby that charts are read from; null if it is unknown, or without a standby. */
        lagSeconds: lagSeconds(),
      }
    },
  })
}

export type WriterApi = ReturnType<typeof createWriterThread>

/** State of the engine, and whether other users can read the password file. */
async function checkEngine(engine: EngineState, passwordFile: string | null): Promise<EngineState> {
  if (engine.name !== 'postgres' || passwordFile === null) return engine
  return { ...engine, isPasswordExposed: await isReadableByOthers(passwordFile) }
}

async function endInterruptedPops(store: HistoryStore): Promise<readonly UsageGap[]> {
  const gaps: UsageGap[] = []
  for (const upstream of await store.upstreams()) {
    const gap = await store.usageOf(upstream).endInterruptedPop()
    if (gap !== null) gaps.push(gap)
  }
  return gaps
}

async function lastPolls(store: HistoryStore): Promise<ReadonlyMap<UpstreamName, EpochMs>> {
  const polls = new Map<UpstreamName, EpochMs>()
  for (const upstream of await store.upstreams()) {
    const { lastPollAt } = await store.usageOf(upstream).position()
    if (lastPollAt !== null) polls.set(upstream, lastPollAt)
  }
  return polls
}

/** Contents of the store for the pipeline after an opening; the remembered pool only the first time. */
async function loadOpenedStore(
  store: HistoryStore,
  now: EpochMs,
  isFirst: boolean,
): Promise<Omit<OpenedStore, 'interrupted' | 'updated'>> {
  const { isNew, engine, newestRecordAt, forgottenAsOf } = await store.facts()
  return {
    isNew,
    engine,
    newestRecordAt,
    forgottenAsOf,
    lastPollAt: await lastPolls(store),
    remembered: isFirst ? await store.quota.remembered() : null,
    told: await store.quota.told(),
    asked: await store.quota.asked(),
    ...(await loadTrends(store.quota, now)),
  }
}

/** Course of the pool until now. */
async function loadTrends(quota: QuotaStore, now: EpochMs): Promise<TrendSeed> {
  return {
    changes: await quota.changes(CHANGES_REMEMBERED),
    readings: await quota.latestReadings(),
    points: await quota.points(plusMs(now, -DAY_MS)),
    burnHours: await quota.burnHours(plusMs(now, -BURN_DAYS * DAY_MS)),
  }
}

/** Longest slot of forgetting old rows, so that usage never waits long. */
const FORGETTING_MS = 50
/** Bounds of the rows per transaction: fewer if one takes long, more if it takes no time. */
const FORGOTTEN_ROWS_MIN = 100
const FORGOTTEN_ROWS_MAX = 16_000
const LONG_STEP_MS = 20

/** Forgets in slots of `FORGETTING_MS`; the size of a transaction follows how long the last ones took. */
export function createForgetSlot(nowMs: () => number) {
  let rowsMax = FORGOTTEN_ROWS_MIN
  return async (
    store: Pick<HistoryStore, 'retain' | 'backlogMs'>,
    plan: RetentionPlan,
    asOf: EpochMs,
  ) => {
    const endMs = nowMs() + FORGETTING_MS - LONG_STEP_MS
    let more = true
    for (let startedMs = nowMs(); more && startedMs < endMs; ) {
      more = await store.retain(plan, { asOf, rowsMax })
      const endedMs = nowMs()
      const wanted = endedMs - startedMs > LONG_STEP_MS ? rowsMax / 2 : rowsMax * 2
      rowsMax = Math.min(FORGOTTEN_ROWS_MAX, Math.max(FORGOTTEN_ROWS_MIN, wanted))
      startedMs = endedMs
    }
    // The last steps were quick only because little was left.
    if (!more) rowsMax = FORGOTTEN_ROWS_MIN
    return { more, backlogMs: await store.backlogMs(plan, asOf) }
  }
}

/**
 * Seconds of lag of the standby that charts are read from, at the last check; each call starts a new check. Null without a standby, and while it does
 * not answer. Checks at once, outside the turns of the writer, which must not wait for it.
 */
export function createReplicaLag(
  { replica, passwordFile }: Omit<StorePlace, 'location'>,
  inspect: typeof inspectDatabase = inspectDatabase,
): () => number | null {
  let seen: number | null = null
  let isLooking = false
  const look = async () => {
    if (replica === null || isLooking) return
    isLooking = true
    seen = await inspect(replica, passwordFile).then(
      ({ lagSeconds }) => lagSeconds,
      () => null,
    )
    isLooking = false
  }
  void look()
  return () => {
    void look()
    return seen
  }
}
