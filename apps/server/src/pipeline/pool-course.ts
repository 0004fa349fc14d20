import type { PoolRecord, ProxyStanding, RememberedPool } from '@svc/core/service'
import { createPoolMemory } from '../monitor/pool-memory.ts'
import { createTrendWatch, type TrendWatch, type TrendWatchDeps } from '../monitor/trend-watch.ts'
import type { History } from '../store/history.ts'
import type { TrendSeed } from '../store/store-threads.ts'
import type { ObservedPool } from './observed-pool.ts'

/** The course of a pool, kept where there is a history. */
export interface PoolCourse extends Pick<TrendWatch, 'latest' | 'onSnapshot'> {
  /** Goes on from what was known before; `remembered`: the last pool of an earlier process, null where it is not known. */
  seed(seed: TrendSeed, remembered: RememberedPool | null): void
}

export function createPoolCourse(
  { source, history }: Pick<ObservedPool, 'source' | 'history'>,
  deps: Omit<TrendWatchDeps, 'keep'>,
): PoolCourse {
  const memory = createPoolMemory()
  /** Also how the pool stands, which the next process compares with. */
  const keepIn = async ({ keep }: History, record: PoolRecord, standing: ProxyStanding) => {
    const update = memory.updateOf(source.latest(deps.clock.now()), standing)
    await keep(record, update)
    if (update !== null) memory.kept(update)
  }
  const trends = createTrendWatch({
    ...deps,
    keep: history === null ? null : (record, standing) => keepIn(history, record, standing),
  })
  return {
    latest: trends.latest,
    onSnapshot: trends.onSnapshot,
    seed(seed, remembered) {
      trends.seed(seed)
      if (remembered !== null) memory.seed(remembered)
    },
  }
}
