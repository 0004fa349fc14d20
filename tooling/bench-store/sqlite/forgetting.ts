import { openSqlite } from '@svc/sqlite'
import { type Finding, findingsOf } from '../../bench/goals.ts'
import { pause } from '../../eventually.ts'
import { withStore } from '../engine.ts'
import { NO_PROXY, startStoreService } from '../store-service.ts'
import { copyOfWorld } from './store.ts'

const SECONDS_MAX = 60
/** Of ninety. */
const DAYS_KEPT = 20

/** How fast a store whose rows are to be kept for less long than they were gets rid of them, while the service runs. */
export const measureForgetting = (rows: number): Promise<readonly Finding[]> =>
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
