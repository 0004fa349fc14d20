import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { anEvaluatedAccount, aSnapshot, knownWindow, unknownWindow } from '../testing/snapshots.ts'
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
})
