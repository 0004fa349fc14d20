import { textOfAccount } from '@svc/core/pool'
import { anAccount } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { poolOfTexts, rowsOfPool } from './stored-pool.ts'

const STANDING = { listedAt: 5_000, source: 'live', gatewayUp: true } as const
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

  it.each([undefined, null, '', 'no JSON', '{"listedAt":1}'])('is none of %j', (standing) => {
    expect(poolOfTexts(standing, [ANA])).toBeNull()
  })
})
