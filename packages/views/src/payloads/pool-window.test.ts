import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { anEvaluatedAccount, exhaustedWindow, knownWindow } from '../testing/snapshots.ts'
import { poolWindow } from './quota-window.ts'

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
})
