import { epochMs } from '@svc/core'
import { textOfAccount, textOfLogin } from '@svc/core/pool'
import { anAccount } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { poolOfTexts, rowsOfPool } from './stored-pool.ts'

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
