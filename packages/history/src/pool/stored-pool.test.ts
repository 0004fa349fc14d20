import { epochMs } from '@svc/core'
import { type ChangeDetail, textOfAccount, textOfLogin } from '@svc/core/pool'
import { anAccount } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { NOW } from '../testing/stored-usage.ts'
import { poolOfTexts, rowsOfPool, storedChange } from './stored-pool.ts'

const STANDING = {
  listedAt: 5_000,
  source: 'live',
  gatewayUp: true,
  open: [{ id: 'usage_rival', since: epochMs(4_000) }],
} as const
const ANA = textOfAccount({ account: anAccount('ana'), evidence: null })

describe('how the pool was last seen', () => {
  it('is one row for its standing and one for each account; what has gone has no value', () => {
    const rows = rowsOfPool({
      ...STANDING,
      texts: [
        ['ana.json', ANA],
        ['bea.json', null],
      ],
    })

    expect(rows).toEqual([
      ['pool', JSON.stringify(STANDING)],
      ['account ana.json', ANA],
      ['account bea.json', null],
    ])
  })

  it('is read as it was kept, without the accounts that this version cannot read', () => {
    const pool = poolOfTexts(JSON.stringify(STANDING), [ANA, 'no JSON', '{"account":{}}'])

    expect(pool).toMatchObject(STANDING)
    expect(pool?.accounts.map(({ account }) => account.title)).toEqual(['ana@example.com'])
  })

  it('has a row for each login with an identity, and is read without those of another form', () => {
    const login = { accountKey: '0123456789abcdef', seenAt: epochMs(86_400_000) }
    const text = textOfLogin({ identity: 'a', ...login })
    const rows = rowsOfPool({
      ...STANDING,
      texts: [],
      logins: [
        ['a', text],
        ['b', null],
      ],
    })
    const stored = ['{', '{"accountKey":"x","seenAt":1}', text].map((value, index) => ({
      name: `login ${index}`,
      value,
    }))

    expect(rows.slice(1)).toEqual([
      ['login a', text],
      ['login b', null],
    ])
    expect(poolOfTexts(JSON.stringify(STANDING), [], stored)?.logins).toEqual([
      { identity: '2', ...login },
    ])
  })

  it('is read as an earlier version kept it, without the actions that were open', () => {
    const { open: _open, ...earlier } = STANDING

    expect(poolOfTexts(JSON.stringify(earlier), [])).toEqual({ ...earlier, accounts: [] })
  })

  it.each([undefined, null, '', 'no JSON', '{"listedAt":1}'])('is none of %j', (standing) => {
    expect(poolOfTexts(standing, [ANA])).toBeNull()
  })
})

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
