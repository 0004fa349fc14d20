import { epochMs } from '@svc/core'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { freshSchemas } from '../testing/fresh-schemas.ts'
import { changeAt, pointAt } from '../testing/pool-course.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { openPostgresStore } from './postgres-store.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))

const schemas = freshSchemas()
beforeEach((context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
})
afterAll(() => schemas.remove())

it('loses no change of two monitors that store some at the same time', async () => {
  const { address, rows } = await schemas.next()
  const monitors = [await openPostgresStore(address), await openPostgresStore(address)] as const
  const [{ quota }] = monitors
  try {
    await Promise.all(
      Array.from({ length: 30 }, (_, round) =>
        monitors.map((monitor, index) =>
          monitor.quota.record({
            readings: [],
            points: [pointAt(NOW + round, 1), pointAt(NOW + round + 1, 1)],
            changes: [changeAt(NOW + 100 * round + index), changeAt(NOW + 100 * round + 50)],
          }),
        ),
      ).flat(),
    )

    expect(await quota.changes(1_000)).toHaveLength(4 * 30)
    expect(await rows('SELECT count(*) FROM svc_quota_monitor.capacity_points')).toEqual([[31]])
  } finally {
    for (const monitor of monitors) await monitor.close()
  }
})
