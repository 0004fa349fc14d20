import type { ChangeDetail } from '@svc/core/pool'
import { describe, expect, it } from 'vitest'
import { NOW } from '../testing/stored-usage.ts'
import { storedChange } from './stored-change.ts'

const ann = { title: 'ann', accountKey: 'key-of-ann' }
const measured = {
  generatedAt: NOW,
  speedup: 1.5,
  tokenOverheadRatio: 0.25,
  weeklyToFiveHourMultiplier: null,
}
const rowOf = (detail: unknown, changes: object = {}) => ({
  atMs: NOW,
  tone: 'warn',
  detail: JSON.stringify(detail),
  ...changes,
})

describe('a stored change', () => {
  it.each<ChangeDetail>([
    { code: 'account_added', title: 'without a key' },
    { code: 'account_removed', ...ann },
    { code: 'account_renamed', ...ann, fromAuthName: 'a.json', toAuthName: 'b.json' },
    { code: 'plan_changed', ...ann, from: 'plus', to: 'pro' },
    { code: 'status_changed', ...ann, from: 'active', to: 'quota_hit', until: NOW },
    { code: 'status_changed', ...ann, from: 'cooldown', to: 'active', until: null },
    { code: 'window_exhausted', ...ann, windowId: '5h' },
    { code: 'window_reset', ...ann, windowId: 'week' },
    {
      code: 'vendor_reset',
      provider: 'codex',
      windowId: 'week',
      accountCount: 3,
      units: 2.5,
      seenAt: NOW,
    },
    { code: 'vendor_reset', provider: 'codex', windowId: '5h', accountCount: 3, seenAt: NOW },
    { code: 'source_changed', from: 'live', to: 'stale' },
    { code: 'gateway_changed', up: false },
    { code: 'proxy_restarted' },
    { code: 'history_started' },
    { code: 'benchmark_changed', from: { ...measured, generatedAt: null }, to: measured },
  ])('of the code $code comes back as it was', (detail) => {
    expect(storedChange(rowOf(detail))).toEqual({ at: NOW, tone: 'warn', detail })
  })

  it.each<{ what: string; row: Parameters<typeof storedChange>[0] }>([
    { what: 'with a code of a later version', row: rowOf({ code: 'moon_changed' }) },
    {
      what: 'with a tone of a later version',
      row: rowOf({ code: 'proxy_restarted' }, { tone: '' }),
    },
    { what: 'that is not JSON', row: { ...rowOf(null), detail: '{"code":' } },
    { what: 'that is JSON null', row: rowOf(null) },
    { what: 'without a field', row: rowOf({ code: 'window_reset', ...ann }) },
    {
      what: 'with a status that is not known',
      row: rowOf({ code: 'status_changed', ...ann, from: 'active', to: 'asleep', until: null }),
    },
    {
      what: 'with half a millisecond',
      row: rowOf({ code: 'status_changed', ...ann, from: 'active', to: 'pending', until: 0.5 }),
    },
    {
      what: 'with a title beyond all measure',
      row: rowOf({ code: 'account_added', title: 'x'.repeat(1025) }),
    },
  ])('$what is left out', ({ row }) => {
    expect(storedChange(row)).toBeNull()
  })

  it('loses the fields that this version does not know', () => {
    expect(storedChange(rowOf({ code: 'gateway_changed', up: true, later: 1 }))?.detail).toEqual({
      code: 'gateway_changed',
      up: true,
    })
  })
})
