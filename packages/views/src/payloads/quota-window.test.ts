import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import {
  anEvaluatedAccount,
  aSnapshot,
  exhaustedWindow,
  knownWindow,
  unknownWindow,
} from '../testing/snapshots.ts'
import { poolWindow } from './quota-window.ts'
import { recommendationsView } from './recommendations.ts'

const context = { text: createWording('Asia/Shanghai') }

describe('a window of an account', () => {
  it('lists further main windows after 5h and week, and no window of another scope', () => {
    const month = { ...knownWindow('week', 40, 86_400), id: 'month' }
    const account = anEvaluatedAccount('a', {
      windows: [unknownWindow('5h'), unknownWindow('week'), month],
      scopedWindows: [{ ...month, id: 'code_review:week' }],
    })

    expect(
      recommendationsView(aSnapshot([account]), context).items[0]?.quotaWindows.map(
        (window) => window.id,
      ),
    ).toEqual(['5h', 'week', 'month'])
  })

  it('of a model or a feature stands beside them, where there is one', () => {
    const opus = { ...knownWindow('week', 88, 86_400), id: 'opus:week', label: 'Opus' }
    const items = recommendationsView(
      aSnapshot([anEvaluatedAccount('a', { scopedWindows: [opus] }), anEvaluatedAccount('b')]),
      context,
    ).items

    expect(items.map(({ scopedWindows }) => scopedWindows)).toMatchObject([
      [{ id: 'opus:week', state: 'known', percent: 88 }],
      undefined,
    ])
  })

  it('that is a reached amount has a word and no percent, and says if it blocks nothing', () => {
    const spend = {
      sampledAt: NOW,
      origin: 'direct',
      stale: false,
      id: 'spend',
      periodSeconds: null,
      resetAt: null,
      state: 'exhausted',
      percent: 0,
      blocksNothing: true,
    } as const
    const [item] = recommendationsView(
      aSnapshot([anEvaluatedAccount('a', { windows: [knownWindow('5h', 90, 60), spend] })]),
      context,
    ).items

    expect(item?.summary).toContain('Spending limit reached')
    expect(item?.quotaWindows[1]).toMatchObject({ percent: null, blocksNothing: true })
    expect(item?.quotaWindows[0]).not.toHaveProperty('blocksNothing')
  })

  it('names its reading in the table where that is not the last sample of the account', () => {
    const window = knownWindow('5h', 40, 60)
    const row = { now: NOW, text: context.text, notStartedId: null }
    const read = { at: NOW, origin: 'headers' } as const

    expect(poolWindow(window, { lastSample: read }, row)).toMatchObject({ origin: 'direct' })
    expect(
      poolWindow(exhaustedWindow('5h', 60), anEvaluatedAccount('a'), row).origin,
    ).toBeUndefined()
  })
})
