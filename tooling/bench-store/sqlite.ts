import type { UsageRangeId } from '@svc/core/usage'
import { openSqlite } from '@svc/sqlite'
import { type Finding, findingsOf } from '../bench/goals.ts'
import { pause } from '../eventually.ts'
import { type Engine, withStore } from './engine.ts'
import { measureService, measureStoreStart, NO_PROXY, startStoreService } from './service.ts'
import { bareWriter, copyOfWorld, emptyFile, storeIn } from './sqlite-store.ts'
import { worldOf } from './world.ts'

const SECONDS_MAX = 60
/** Days that are kept, of ninety. */
const DAYS_KEPT = 20

/** Speed at which a store deletes rows after its retention was shortened, while the service runs. */
const measureForgetting = (rows: number): Promise<readonly Finding[]> =>
  withStore(copyOfWorld(rows), async ({ location }) => {
    const count = () => {
      const db = openSqlite(location, { readonly: true })
      try {
        return Number(db.prepare('SELECT count(*) FROM usage').pluck().get())
      } finally {
        db.close()
      }
    }
    const service = await startStoreService(location, NO_PROXY, {
      'usage-retention-days': String(DAYS_KEPT),
    })
    const before = count()
    let left = before
    let beganMs: number | null = null
    let endedMs = performance.now()
    for (const untilMs = performance.now() + SECONDS_MAX * 1000; performance.now() < untilMs; ) {
      await pause(250)
      const now = count()
      if (now < left) {
        beganMs ??= endedMs
        endedMs = performance.now()
      }
      left = now
      if (left < (before * (DAYS_KEPT + 2)) / 90) break
    }
    await service.stop()
    const seconds = beganMs === null ? SECONDS_MAX : (performance.now() - beganMs) / 1000
    const thousands = (before - left) / seconds / 1000
    const what = `rows forgotten a second, ${rows / 1e6} M rows`
    return findingsOf([['fleet', what, thousands, 'k rows/s', { atLeast: 5 }]])
  })

const isRecent = (range: UsageRangeId) => range === '1h' || range === '6h'

export const sqliteEngine: Engine = {
  goals: {
    ingest: {
      id: 'P8',
      ratioMin: 0.6,
      thousandsMin: 25,
      batch: 500,
      everyMs: 20,
      countsReading: true,
    },
    charts: {
      id: 'P6',
      p95MsMax: 50,
      program: 'sqlite3',
      kinds: [
        {
          id: 'P6',
          one: 'rollup chart',
          all: 'rollup charts',
          ratioMax: 1.5,
          has: (range) => !isRecent(range),
        },
        {
          id: 'P7',
          one: '1h or 6h chart',
          all: '1h and 6h charts',
          ratioMax: 1.3,
          has: isRecent,
        },
      ],
    },
    size: { id: 'P10', what: 'bytes an event', bytesMax: 120 },
    sustained: { eventsPerSecond: 5_000, readMsMax: 100, bytesMax: 120 },
  },
  rows: '1000000,10000000',
  parts: { start: measureStoreStart, forgetting: measureForgetting, service: measureService },
  emptyStore: async () => emptyFile(),
  bareWriter: async () => bareWriter(),
  world: async (rows) => storeIn(await worldOf(rows)),
  close: async () => undefined,
}
