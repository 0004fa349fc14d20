import { anAbsentWindow, fromNow } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import {
  anEvaluatedAccount,
  aSnapshot,
  exhaustedWindow,
  knownWindow,
  unknownWindow,
} from '../testing/snapshots.ts'
import { recommendationsView } from './recommendations.ts'

const context = { text: createWording('Asia/Shanghai') }

describe('a window of an account', () => {
  it('gives every state of a window its own shape', () => {
    const rolledOver = knownWindow('5h', 100, null, { rolledOverAt: fromNow(-60), stale: true })
    const windowsOf = (...windows: Parameters<typeof anEvaluatedAccount>[1][]) =>
      recommendationsView(
        aSnapshot(windows.map((changes, index) => anEvaluatedAccount(String(index), changes))),
        context,
      ).items.map(({ quotaWindows, summary, detail }) => ({
        windows: quotaWindows.map(({ id, label, ...state }) => state),
        summary,
        detail,
      }))
    const read = { rolledOver: false, origin: 'direct', sampledAt: '2026-11-20T11:59:20.000Z' }
    const unread = { rolledOver: false, origin: null, sampledAt: null }
    const empty = {
      percent: null,
      resetAt: null,
      resetsInSeconds: null,
      remainingText: null,
      stale: false,
      ...read,
    }

    expect(
      windowsOf(
        { windows: [rolledOver, unknownWindow('week')] },
        { windows: [anAbsentWindow('5h'), exhaustedWindow('week', null)] },
      ),
    ).toEqual([
      {
        windows: [
          {
            state: 'known',
            percent: 100,
            resetAt: null,
            resetsInSeconds: null,
            remainingText: 'reset, unconfirmed',
            stale: true,
            ...read,
            rolledOver: true,
          },
          { state: 'unknown', ...empty, ...unread },
        ],
        summary: 'Active · 5h 100% · Weekly unknown',
        detail: undefined,
      },
      {
        windows: [
          { state: 'absent', ...empty, sampledAt: '2026-11-20T12:00:00.000Z' },
          { state: 'exhausted', ...empty, percent: 0 },
        ],
        summary: 'Active · 5h – · Weekly 0%',
        detail: undefined,
      },
    ])
  })

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
