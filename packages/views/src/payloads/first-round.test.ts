import { noTrends } from '@svc/core/pool'
import { fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { aSnapshot } from '../testing/snapshots.ts'
import { firstRoundView } from './capacity.ts'
import { healthView } from './health.ts'

const text = createWording('Asia/Shanghai')

describe('the first round', () => {
  it('says how far it is and when it ends', () => {
    const firstRound = {
      readCount: 312,
      toReadCount: 1_997,
      doneAt: fromNow(1_380),
      seenFrom: { at: NOW, readCount: 0 },
    }

    expect(firstRoundView(aSnapshot([], { firstRound }), text)).toEqual({
      accountsRead: 312,
      accountsToRead: 1_997,
      doneAt: '2026-11-20T12:23:00.000Z',
      text: 'Reading 312 of 1,997 accounts, done about 20:23',
    })
  })

  it('names no end that nobody knows', () => {
    const firstRound = {
      readCount: 0,
      toReadCount: 1,
      doneAt: null,
      seenFrom: { at: NOW, readCount: 0 },
    }

    expect(firstRoundView(aSnapshot([], { firstRound }), text)).toMatchObject({
      doneAt: null,
      text: 'Reading 0 of 1 account',
    })
  })

  it('is null in health when there is none', () => {
    expect(healthView(aSnapshot([]), { text, trends: noTrends }).firstRound).toBeNull()
  })
})
