import { fromNow } from '@svc/core/testing'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { aMixedPool, aPoolCapacity, aSnapshot } from '../testing/snapshots.ts'
import { recommendationsSchema, recommendationsView } from './recommendations.ts'

const context = { text: createWording('Asia/Shanghai') }

describe('recommendationsView', () => {
  it('is what its schema says, and nothing more', () => {
    const view = recommendationsView(aSnapshot(aMixedPool(40)), context)

    // Parsing drops members that the schema does not list.
    expect(v.parse(recommendationsSchema, view)).toEqual(view)
  })

  const nothing = { knownUnits: 0, trackedUnits: 0, unknownUnits: 0, staleUnits: 0 }

  it('carries every required field before the first reading', () => {
    const view = recommendationsView(
      aSnapshot([], {
        source: 'unavailable',
        available: false,
        sampledAt: null,
        gatewayUp: null,
        topScore: 0,
        capacity: aPoolCapacity({ '5h': nothing, week: nothing }),
      }),
      context,
    )
    const nothingTracked = {
      ...nothing,
      usableUnits: 0,
      heldUnits: 0,
      percent: null,
    }

    expect(view).toEqual({
      contractVersion: '1.1',
      provider: 'codex',
      sampledAt: null,
      source: {
        kind: 'unavailable',
        text: 'No data yet: waiting for the first reading',
        gatewayOk: false,
      },
      routingPolicy: {
        scoreMax: 100,
        capacityWeightUnit: 'plus',
        hardBlocks: [
          'routeEligible=false',
          'tone=bad',
          'status disabled/unavailable/invalid/auth invalid/cooldown',
          'exhausted quota windows',
        ],
      },
      summary: '0 routable · 0 blocked · top score 0',
      routableCount: 0,
      blockedCount: 0,
      topScore: 0,
      nextRoutableAt: null,
      nextRoutableInSeconds: null,
      capacity: { fiveHour: nothingTracked, week: nothingTracked },
      pools: [],
      items: [],
    })
    expect(v.is(recommendationsSchema, view)).toBe(true)
  })

  it('says when the next account is expected back', () => {
    const view = recommendationsView(aSnapshot([], { nextRoutableAt: fromNow(600) }), context)

    expect(view).toMatchObject({
      nextRoutableAt: '2026-11-20T12:10:00.000Z',
      nextRoutableInSeconds: 600,
    })
  })
})
