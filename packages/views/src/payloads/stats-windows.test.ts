import { DAY_MS, epochMs, type MainWindowId, plusMs } from '@svc/core'
import { courseSpanOf } from '@svc/core/account'
import type { PoolCycles } from '@svc/core/pool'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { english } from '../messages/en/catalogue.ts'
import { statsWindowsSchema, statsWindowsView } from './stats-windows.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12, 0))
const SPAN = courseSpanOf('30d', NOW)
const nothing = { endedCount: 0, knownCount: 0, dryCount: 0, weekly: null }
const shown = (
  cycles: Parameters<typeof statsWindowsView>[0],
  windowIds: readonly MainWindowId[] = [],
  more: Partial<Parameters<typeof statsWindowsView>[1]> = {},
) => {
  const asked = { span: SPAN, range: '30d', filter: {}, warnings: [], ...more } as const
  const view = statsWindowsView(cycles, { ...asked, provider: 'claude', windowIds }, english)
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
        id: '30d',
        label: 'Last 30 days',
        seconds: 2_592_000,
        start: '2026-10-21T12:00:00.000Z',
        end: '2026-11-20T12:00:00.000Z',
      },
      query: { from: '2026-10-21T12:00:00.000Z', to: '2026-11-20T12:00:00.000Z' },
      watchedSeconds: 0,
      windows: [],
    })
  })

  it('repeats the time and the accounts that were asked for', () => {
    const span = { from: plusMs(NOW, -DAY_MS), to: NOW }
    const filter = { account: ['=a'], provider: ['claude'] }

    expect(shown('no_store', [], { span, filter, range: 'custom', warnings: ['x'] })).toMatchObject(
      {
        range: { id: 'custom', label: 'Chosen time', seconds: 86_400 },
        query: { from: '2026-11-19T12:00:00.000Z', filter: { account: ['%3Da'] } },
        warnings: ['x'],
      },
    )
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
