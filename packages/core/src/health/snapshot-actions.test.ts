import { describe, expect, it } from 'vitest'
import {
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  NOW,
  type ObservationChanges,
} from '../testing/builders.ts'
import type { HealthAction } from './health-actions.ts'
import { keepsFromReading, snapshotActions } from './snapshot-actions.ts'

const fine = [anAccount('fine'), evidenceOf([aQuotaSample()])] as const

describe('the snapshot', () => {
  const never = {
    outcome: { kind: 'failed', code: 'unreachable', at: NOW },
    failuresInARow: 1,
    lastGood: null,
  } as const
  it.each<readonly [why: string, changes: ObservationChanges, expected: readonly unknown[]]>([
    ['live', {}, []],
    ['demo', { kind: 'demo', sources: { gateway: never } }, []],
    [
      'unavailable',
      { sources: { accounts: never } },
      [{ tone: 'bad', action: { code: 'snapshot_unavailable' } }],
    ],
    [
      'stale',
      { accountRefreshSeconds: -1 },
      [{ tone: 'warn', action: { code: 'snapshot_stale', sampledAt: NOW } }],
    ],
    [
      'partial',
      { sources: { gateway: never } },
      [{ tone: 'warn', action: { code: 'snapshot_partial', failedSources: ['gateway'] } }],
    ],
  ])('%s', (_, changes, expected) => {
    expect(snapshotActions(aSnapshot([fine], changes), ['gateway'], false)).toEqual(expected)
  })

  it('partial names every source that failed', () => {
    const { actions } = aSnapshot([fine], {
      sources: { gateway: never, direct_quota: never },
    }).health
    const action = { code: 'snapshot_partial', failedSources: ['gateway', 'direct_quota'] }

    expect(actions).toContainEqual({ id: 'snapshot_partial', tone: 'warn', action, since: NOW })
  })

  it.each<{ source: string; changes: ObservationChanges; count: number }>([
    { source: 'unavailable', changes: { sources: { accounts: never } }, count: 0 },
    { source: 'stale', changes: { accountRefreshSeconds: -1 }, count: 1 },
    { source: 'partial', changes: { sources: { gateway: never } }, count: 1 },
  ])('asks for nothing more where another action says why nothing is read: $source', (row) => {
    const snapshot = aSnapshot([fine], row.changes)

    expect(snapshot.source).toBe(row.source)
    expect(snapshotActions(snapshot, [], true)).toHaveLength(row.count)
  })

  it.each<{ action: HealthAction; says: boolean }>([
    { action: { code: 'management_key_missing' }, says: true },
    { action: { code: 'management_banned', until: NOW }, says: true },
    { action: { code: 'key_file_readable_by_others' }, says: false },
    { action: { code: 'usage_rival' }, says: false },
  ])('knows whether $action.code says why nothing is read: $says', ({ action, says }) => {
    expect(keepsFromReading({ tone: 'bad', action })).toBe(says)
  })
})
