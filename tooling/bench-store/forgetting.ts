import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@svc/sqlite'
import type { Finding } from '../bench/goals.ts'
import { NO_PROXY, startStoreService } from './store-service.ts'
import { worldOf } from './world.ts'

const SECONDS_MAX = 60
/** Of ninety. */
const DAYS_KEPT = 20

/** How fast a store whose rows are to be kept for less long than they were gets rid of them, while the service runs. */
export async function measureForgetting(rows: number): Promise<readonly Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const path = join(folder, 'history.db')
  cpSync(await worldOf(rows), path)
  const count = () => {
    const db = openSqlite(path, { readonly: true })
    try {
      return Number(db.prepare('SELECT count(*) FROM usage').pluck().get())
    } finally {
      db.close()
    }
  }
  const service = await startStoreService(path, NO_PROXY, {
    'usage-retention-days': String(DAYS_KEPT),
  })
  const before = count()
  let left = before
  let beganMs: number | null = null
  let endedMs = performance.now()
  for (const untilMs = performance.now() + SECONDS_MAX * 1000; performance.now() < untilMs; ) {
    await new Promise((resolve) => setTimeout(resolve, 250))
    const now = count()
    if (now < left) {
      beganMs ??= endedMs
      endedMs = performance.now()
    }
    left = now
    if (left < (before * (DAYS_KEPT + 2)) / 90) break
  }
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
  const seconds = beganMs === null ? SECONDS_MAX : (performance.now() - beganMs) / 1000
  const what = `rows forgotten a second, ${rows / 1e6} M rows`
  return [
    {
      id: 'fleet',
      what,
      measured: (before - left) / seconds / 1000,
      unit: 'k rows/s',
      bound: { atLeast: 5 },
    },
  ]
}
