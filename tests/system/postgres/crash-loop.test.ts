import { whyNoPostgres } from '@svc/history/testing'
import { expect, it } from 'vitest'
import { runDatabaseCrashLoop } from '../../../tooling/faults/database-crash-loop.ts'

it('whatever is killed, one of two monitors, their database or its standby, what was told is stored, once', async ({
  task,
  skip,
}) => {
  const why = whyNoPostgres()
  if (why !== null) return skip(why)
  const { violations, acknowledged, stored, handedOut, rowsLost, ...report } =
    await runDatabaseCrashLoop({ rounds: 8, seed: 20_261_123, monitorCount: 2 })

  expect(violations).toEqual([])
  expect(stored).toBe(handedOut - rowsLost)
  expect(acknowledged).toBeGreaterThan(handedOut / 4)
  task.meta.observed = `${report.rounds} rounds (${Object.entries(report.byEvent)
    .map(([event, times]) => `${times} × ${event}`)
    .join(
      ', ',
    )}): ${acknowledged} told of, ${stored} stored, ${report.batchesLost} batches lost and told`
})
