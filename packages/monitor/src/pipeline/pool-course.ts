import type { PoolMemoryUpdate, PoolRecord, ProxyStanding, RememberedPool } from '@svc/core/pool'
import { upstreamOfFile } from '@svc/core/service'
import { createPoolMemory } from '../evaluation/pool-memory.ts'
import {
  createTrendWatch,
  type TrendWatch,
  type TrendWatchDeps,
} from '../evaluation/trend-watch.ts'
import type { History } from '../store/history.ts'
import type { SeenPool, TrendSeed } from '../store/store-threads.ts'
import type { ObservedPool } from './observed-pool.ts'

/** The course of a pool, kept if there is a history. */
export interface PoolCourse extends Pick<TrendWatch, 'latest' | 'onSnapshot'> {
  /** Continues from earlier records; `remembered`: the last pool of an earlier process, null if unknown. */
  seed(seed: TrendSeed, remembered: RememberedPool | null): void
  /** Continues from the records of other monitors; takes over the course only if another monitor writes it. */
  follow(seen: SeenPool): void
}

export function createPoolCourse(
  { source, history }: Pick<ObservedPool, 'source' | 'history'>,
  deps: Omit<TrendWatchDeps, 'keep' | 'keeps' | 'anotherKeeps'>,
): PoolCourse {
  const memory = createPoolMemory()
  const shared = history?.shared ?? null
  /** Limits an update to the accounts of our proxies; other monitors keep the state of theirs. */
  const ownPartOf = (update: PoolMemoryUpdate | null): PoolMemoryUpdate | null => {
    if (update === null || shared === null) return update
    const texts = update.texts.filter(([file]) => shared.dutyOf(upstreamOfFile(file)).isOurs())
    const isEmpty = texts.length === 0 && update.logins === undefined
    return isEmpty && !shared.writesCourse() ? null : { ...update, texts }
  }
  /** Stores a record, with the state of the proxy that the next process compares with. */
  const keepIn = async ({ keep }: History, record: PoolRecord, standing: ProxyStanding) => {
    const update = ownPartOf(memory.updateOf(source.latest(deps.clock.now()), standing))
    const isEmpty = record.points.length + record.readings.length + record.changes.length === 0
    if (update === null && isEmpty) return
    await keep(record, update)
    if (update !== null) memory.kept(update)
  }
  const trends = createTrendWatch({
    ...deps,
    keeps: () => shared === null || shared.writesCourse(),
    anotherKeeps: () => shared?.anotherWritesCourse() ?? false,
    keep: history === null ? null : (record, standing) => keepIn(history, record, standing),
  })
  return {
    latest: trends.latest,
    onSnapshot: trends.onSnapshot,
    follow(seen) {
      // The writer of the course knows it better: a point added during the look would be forgotten, and its use counted twice.
      if (shared?.writesCourse() !== true) trends.follow(seen)
      if (seen.remembered !== null) memory.seed(seen.remembered)
    },
    seed(seed, remembered) {
      trends.seed(seed)
      if (remembered !== null) memory.seed(remembered)
    },
  }
}
