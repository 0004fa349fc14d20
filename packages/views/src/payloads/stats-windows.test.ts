import { epochMs, type MainWindowId } from '@svc/core'
import type { PoolCycles } from '@svc/core/pool'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { english } from '../messages/en/catalogue.ts'
import { statsWindowsSchema, statsWindowsView } from './stats-windows.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12, 0))
const nothing = { endedCount: 0, knownCount: 0, dryCount: 0, weekly: null }
const shown = (
  cycles: Parameters<typeof statsWindowsView>[0],
  windowIds: readonly MainWindowId[] = [],
) => {
  const view = statsWindowsView(cycles, { now: NOW, words: english, provider: 'claude', windowIds })
  expect(v.safeParse(statsWindowsSchema, view).issues).toBeUndefined()
  return view
}

describe('how full the windows were, on the wire', () => {
  it.each(['no_store', 'store_unavailable'] as const)('says %s where nobody knows', (reason) => {
    expect(shown(reason)).toEqual({
      provider: 'claude',
      available: false,
      reason,
      range: {
        label: 'Last 30 days',
        seconds: 2_592_000,
        start: '2026-10-21T12:00:00.000Z',
        end: '2026-11-20T12:00:00.000Z',
      },
      watchedSeconds: 0,
      windows: [],
    })
  })

  it('has the counts of each window, the share that ran dry and what a week costs', () => {
    const cycles: PoolCycles = {
      watchedSeconds: 1_000_000,
      windows: {
        '5h': { ...nothing, endedCount: 2 },
        week: {
          endedCount: 10,
          knownCount: 7,
          dryCount: 2,
          weekly: { expired: 1.23456, notBegun: 0.5, tracked: 7 },
        },
      },
    }

    expect(shown(cycles)).toMatchObject({
      available: true,
      reason: null,
      watchedSeconds: 1_000_000,
    })
    expect(shown(cycles, ['week']).windows.map(({ id }) => id)).toEqual(['week'])
    expect(shown(cycles).windows).toEqual([
      {
        id: '5h',
        label: '5h',
        ...{ endedCount: 2, knownCount: 0, dryCount: 0, dryPercent: null },
        ...{ expiredUnits: null, notBegunUnits: null, trackedUnits: null },
      },
      {
        id: 'week',
        label: 'Weekly',
        ...{ endedCount: 10, knownCount: 7, dryCount: 2, dryPercent: 28.6 },
        ...{ expiredUnits: 1.235, notBegunUnits: 0.5, trackedUnits: 7 },
      },
    ])
  })
})
