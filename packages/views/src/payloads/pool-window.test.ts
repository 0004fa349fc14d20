import { noTrends } from '@svc/core/pool'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import {
  anEvaluatedAccount,
  aSnapshot,
  exhaustedWindow,
  knownWindow,
} from '../testing/snapshots.ts'
import { poolWindow } from './quota-window.ts'
import { statusView } from './status.ts'

const text = createWording('UTC')

describe('a window of an account in the table', () => {
  it('names its reading where that is not the last sample of the account', () => {
    const window = knownWindow('5h', 40, 60)
    const context = { now: NOW, text, notStartedId: null }
    const read = { at: NOW, origin: 'headers' } as const

    expect(poolWindow(window, { lastSample: read }, context)).toMatchObject({ origin: 'direct' })
    expect(
      poolWindow(exhaustedWindow('5h', 60), anEvaluatedAccount('a'), context).origin,
    ).toBeUndefined()
  })

  it.each([
    { why: 'a full period is left', percent: 100, seconds: 5 * 3600, id: '5h' },
    { why: 'something was used', percent: 99, seconds: 5 * 3600, id: undefined },
    { why: 'its time runs', percent: 100, seconds: 4 * 3600, id: undefined },
  ])('has not started only where nothing was used of a whole period: $why', (row) => {
    const five = knownWindow('5h', row.percent, row.seconds)
    const account = anEvaluatedAccount('a', { windows: [five, knownWindow('week', 60, 86_400)] })
    const { pool } = statusView(aSnapshot([account]), {
      text,
      usage: { kind: 'off' },
      refresh: { status: 'idle' },
      trends: noTrends,
    }).tabs

    expect(pool.accounts[0]?.windows.find(({ notStarted }) => notStarted)?.id).toBe(row.id)
  })
})
