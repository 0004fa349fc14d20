import { spawnSync } from 'node:child_process'
import { mainWindows } from '@svc/core'
import { courseRangeIds, silentMsMaxOf } from '@svc/core/account'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { openHistory, openUsage } from '@svc/history'
import { type Finding, findingsOf } from '../bench/goals.ts'
import { percentile, seededRandom } from '../bench/statistics.ts'
import { accountKey, keptFile, WORLD_DAYS, WORLD_END } from './world.ts'

const ACCOUNTS = 1_000
/** A busy account is read every 5 min, and differs each second time. */
const READ_EVERY_MS = 10 * 60_000
/** The pool of such accounts differs at every write. */
const WATCHED_EVERY_MS = 60_000
const DAY_MS = 86_400_000
const RUNS = 40
/** Changes whenever the recorded pool does. */
const VERSION = 1

/** The course of single accounts of a large pool, as the reading thread computes it, each account for the first time. */
export async function measureCourses(): Promise<readonly Finding[]> {
  const path = await recordedPool()
  const reader = await openUsage({ location: path, retentionDays: WORLD_DAYS })
  const random = seededRandom(11)
  const findings: Finding[] = []
  for (const range of courseRangeIds) {
    const times: number[] = []
    for (let run = 0; run < RUNS; run += 1) {
      const query = { accountKey: accountKey(Math.floor(random() * ACCOUNTS)), range }
      const startedMs = performance.now()
      const course = await reader.course(query, { now: WORLD_END, silentMsMax: silentMsMaxOf(60) })
      const tookMs = performance.now() - startedMs
      if (course === null || course.some(({ points }) => points.length === 0))
        throw new Error('an account of the pool has no course')
      times.push(tookMs)
    }
    const what = `course of one of ${ACCOUNTS} accounts over ${range}, ${WORLD_DAYS} days stored, p95`
    findings.push(...findingsOf([['course', what, percentile(times, 0.95), 'ms', { atMost: 50 }]]))
  }
  await reader.close()
  return findings
}

const recordedPool = (): Promise<string> =>
  keptFile(`pool-${VERSION}-${ACCOUNTS}.db`, async (path) => {
    const store = await openHistory(path)
    const keys = Array.from({ length: ACCOUNTS }, (_, index) => accountKey(index))
    await store.usageOf(DEFAULT_UPSTREAM).nameAccounts(new Map(keys.map((key) => [key, key])))
    await store.close()
    const { status, stderr } = spawnSync('sqlite3', [path, fillingSql()], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`sqlite3: ${stderr}`)
  })

/** Day by day, so that the rows of an account lie as scattered as in a store that has grown. */
function fillingSql(): string {
  const startMs = WORLD_END - WORLD_DAYS * DAY_MS
  const windows = mainWindows.map(({ id, seconds }) => `('${id}', ${seconds * 1000})`).join(', ')
  const days = `generate_series(0, ${WORLD_DAYS - 1}) AS day`
  return `
    CREATE TEMP TABLE windows (id TEXT, ms INTEGER);
    INSERT INTO windows VALUES ${windows};
    BEGIN;
    INSERT INTO quota_samples (account_id, window_id, at_ms, percent, reset_at_ms)
    SELECT account, name, at, round(100.0 - 100.0 * since / ms, 1), at - since + ms FROM (
      SELECT *, (at + account * 1000003) % ms AS since FROM (
        SELECT accounts.id AS account, windows.id AS name, ms,
          ${startMs} + day.value * ${DAY_MS} + step.value + accounts.id * 137 AS at
        FROM ${days} CROSS JOIN accounts CROSS JOIN windows
        CROSS JOIN generate_series(0, ${DAY_MS - 1}, ${READ_EVERY_MS}) AS step));
    INSERT INTO capacity_points (window_id, at_ms, known_units, tracked_units, unknown_units, burned_units)
    SELECT windows.id, at.value, ${ACCOUNTS / 2}, ${ACCOUNTS}, 0, 1
    FROM windows CROSS JOIN generate_series(${startMs}, ${WORLD_END}, ${WATCHED_EVERY_MS}) AS at;
    COMMIT;`
}
