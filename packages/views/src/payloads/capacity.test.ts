import { noTrends, type OpenAction, type WindowCapacity } from '@svc/core/service'
import { describe, expect, it } from 'vitest'
import { createZone } from '../format/format.ts'
import { anOpenAction, aPoolCapacity, aSnapshot } from '../snapshot-fixture.ts'
import { statusView } from './status.ts'

const context = {
  text: createZone('Asia/Shanghai'),
  usage: { kind: 'off' },
  trends: noTrends,
  refresh: { status: 'idle' },
} as const

describe('capacity', () => {
  const low = anOpenAction({
    tone: 'bad',
    action: { code: 'five_hour_below_minimum', knownUnits: 16.1, minimumUnits: 20 },
  })

  it.each<{
    readonly name: string
    readonly changes: Partial<WindowCapacity>
    readonly actions: readonly OpenAction[]
    readonly expected: object
  }>([
    {
      name: 'in order',
      changes: {},
      actions: [],
      expected: { percent: 39.3, tone: 'good', text: '16.1 of 41 Plus left' },
    },
    {
      name: 'full',
      changes: { knownUnits: 41 },
      actions: [],
      expected: { percent: 100, tone: 'good', text: '41.0 of 41 Plus left' },
    },
    {
      name: 'nothing left',
      changes: { knownUnits: 0 },
      actions: [],
      expected: { percent: 0, tone: 'bad', text: '0.0 of 41 Plus left' },
    },
    {
      name: 'a sliver',
      changes: { knownUnits: 0.001 },
      actions: [],
      expected: { percent: 0, tone: 'good', text: '<0.1 of 41 Plus left' },
    },
    {
      name: 'in parts unknown',
      changes: { unknownUnits: 2 },
      actions: [],
      expected: { tone: 'good', text: '16.1 of 41 Plus left, 2.0 unknown' },
    },
    {
      name: 'unknown',
      changes: { knownUnits: 0, unknownUnits: 41 },
      actions: [],
      expected: { tone: 'unknown' },
    },
    {
      name: 'stale in part',
      changes: { staleUnits: 16 },
      actions: [],
      expected: { tone: 'good', staleUnits: 16 },
    },
    {
      name: 'stale throughout',
      changes: { staleUnits: 16.1 },
      actions: [],
      expected: { tone: 'warn' },
    },
    { name: 'below the minimum', changes: {}, actions: [low], expected: { tone: 'bad' } },
    {
      name: 'sums with endless digits',
      changes: { knownUnits: 0.1 + 0.2 },
      actions: [],
      expected: { knownUnits: 0.3 },
    },
  ])('$name', ({ changes, actions, expected }) => {
    const base = aSnapshot([])
    const capacity = aPoolCapacity({ '5h': changes })
    const view = statusView({ ...base, capacity, health: { ...base.health, actions } }, context)

    expect(view.summary.fiveHour).toMatchObject(expected)
    expect(view.tabs.pool.windows[0]).toMatchObject(expected)
  })

  it("a broken threshold of one window leaves the other's tone alone", () => {
    const base = aSnapshot([])

    expect(
      statusView({ ...base, health: { ...base.health, actions: [low] } }, context).summary.weekly
        .tone,
    ).toBe('good')
  })
})
