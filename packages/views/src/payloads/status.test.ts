import type { CapacityReturn } from '@svc/core/pool'
import { fromNow } from '@svc/core/testing'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import type { Language } from '../language/language.ts'
import { createWording } from '../messages/wording.ts'
import { aMixedPool, aPoolCapacity, aSnapshot, statusContext } from '../testing/snapshots.ts'
import { recommendationsView } from './recommendations.ts'
import { statusSnapshotSchema, statusView } from './status.ts'

const soon: CapacityReturn = {
  at: fromNow(2460),
  units: 4.987,
  fileKey: 'a.json',
  title: 'a@example.com',
}

describe('statusView', () => {
  it('is what its schema says, and nothing more', () => {
    const capacity = aPoolCapacity({ '5h': { returns: [soon] } })
    const view = statusView(aSnapshot(aMixedPool(40), { capacity }), statusContext)

    // Parsing drops members that the schema does not list.
    expect(v.parse(statusSnapshotSchema, view)).toEqual(view)
  })

  it('has every required key before the first reading', () => {
    const nothing = { trackedUnits: 0, knownUnits: 0, exhaustedCount: 0 }
    const view = statusView(
      aSnapshot([], {
        source: 'unavailable',
        available: false,
        sampledAt: null,
        gatewayUp: null,
        capacity: aPoolCapacity({ '5h': nothing, week: nothing }),
      }),
      statusContext,
    )

    expect(v.is(statusSnapshotSchema, view)).toBe(true)
    expect(view).toMatchObject({
      available: false,
      source: 'unavailable',
      displayTimezone: 'Asia/Shanghai',
      displayTimezoneLabel: 'Asia/Shanghai (UTC+08:00)',
      summary: {
        firstRound: null,
        activityLine: 'No usage data',
        gatewayOk: false,
        fiveHour: { percent: null, tone: 'unknown', text: 'No tracked quota' },
        nextRecovery: null,
        sampleAgeSeconds: null,
      },
    })
  })

  it('says so in demo mode, and only there', () => {
    expect(statusView(aSnapshot([], { source: 'demo' }), statusContext)).toMatchObject({
      source: 'demo',
      demo: true,
    })
    expect(statusView(aSnapshot([]), statusContext)).not.toHaveProperty('demo')
  })

  it('carries the same recommendations as their own endpoint', () => {
    const snapshot = aSnapshot(aMixedPool(20))

    expect(statusView(snapshot, statusContext).recommendations).toEqual(
      recommendationsView(snapshot, statusContext),
    )
  })

  it('gives the age of the sample in whole seconds', () => {
    const { summary } = statusView(aSnapshot([], { sampledAt: fromNow(-4.2) }), statusContext)

    expect(summary.sampleAgeSeconds).toBe(4)
  })
})

describe('the size of the status', () => {
  const count = 500
  const change = (index: number) => ({
    at: fromNow(-index * 60),
    tone: 'warn' as const,
    detail: {
      code: 'window_exhausted' as const,
      title: `firstname.lastname${index}@example.com`,
      accountKey: '0123456789abcdef',
      windowId: '5h',
    },
  })
  const recentChanges = Array.from({ length: 50 }, (_, index) => change(index))
  const viewIn = (language: Language) =>
    statusView(aSnapshot(aMixedPool(count), { recentChanges }), {
      ...statusContext,
      text: createWording('Asia/Shanghai', language),
    })

  it.each([
    { language: 'en', tabs: 1536, all: 3072, why: '1.5 KB and 3 KB' },
    { language: 'zh-CN', tabs: 1600, all: 3200, why: 'a Chinese letter takes three bytes' },
  ] as const)(
    'in $language stays within $tabs bytes an account in the tabs and $all in all ($why)',
    ({ language, tabs, all }) => {
      const view = viewIn(language)
      expect(bytesOf(view.tabs) / count).toBeLessThanOrEqual(tabs)
      expect(bytesOf(view) / count).toBeLessThanOrEqual(all)
    },
  )

  function bytesOf(value: unknown): number {
    return new TextEncoder().encode(JSON.stringify(value)).length
  }
})
