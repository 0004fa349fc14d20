import { describe, expect, it } from 'vitest'
import type { Account } from '../facts/account.ts'
import { anAccount, evidenceOf, NOW } from '../testing/builders.ts'
import { filesAskedThrough, type UpstreamWay } from './asked-through.ts'

const NONE = new Set<string>()

/** A proxy as a way to the vendor; healthy unless it is said otherwise. */
function way(upstream: string, accounts: readonly Account[], isHealthy = true): UpstreamWay {
  return {
    accounts: accounts.map((account) => ({ ...account, upstream })),
    isHealthy,
    evidence: new Map(),
  }
}

const alice = anAccount('alice')
const bob = anAccount('bob')
const fileAt = (upstream: string, { selector }: Account) => `${upstream}/${selector.authName}`

describe('an account that several proxies list', () => {
  it('is asked about through the first of them, others through their own', () => {
    const asked = filesAskedThrough([way('tokyo', [alice]), way('berlin', [alice, bob])], NONE)

    expect([...asked]).toEqual([fileAt('tokyo', alice), fileAt('berlin', bob)])
  })

  it('is asked about through the first healthy one', () => {
    const asked = filesAskedThrough([way('tokyo', [alice], false), way('berlin', [alice])], NONE)

    expect([...asked]).toEqual([fileAt('berlin', alice)])
  })

  it('is not asked about through another because one before it has come back', () => {
    const ways = [way('tokyo', [alice]), way('berlin', [alice])]

    expect([...filesAskedThrough(ways, new Set([fileAt('berlin', alice)]))]).toEqual([
      fileAt('berlin', alice),
    ])
  })

  it('leaves a proxy that is not healthy any more, though it was asked before', () => {
    const ways = [way('tokyo', [alice]), way('berlin', [alice], false)]

    expect([...filesAskedThrough(ways, new Set([fileAt('berlin', alice)]))]).toEqual([
      fileAt('tokyo', alice),
    ])
  })

  it.each([
    { inARow: 1, through: 'tokyo', why: 'one refusal proves nothing' },
    { inARow: 2, through: 'berlin', why: 'a login refused twice is dead' },
  ])('is asked about through $through: $why', ({ inARow, through }) => {
    const refused = evidenceOf([], { refusedLogin: { inARow, lastAt: NOW, httpStatus: 401 } })
    const tokyo = {
      ...way('tokyo', [alice]),
      evidence: new Map([[fileAt('tokyo', alice), refused]]),
    }

    expect([...filesAskedThrough([tokyo, way('berlin', [alice])], NONE)]).toEqual([
      fileAt(through, alice),
    ])
  })

  it('is asked about through a login that works where the proxy says that one is dead', () => {
    const dead: Account = {
      ...alice,
      message: { kind: 'auth_fault', code: 'token_revoked', deactivated: false },
    }
    const asked = filesAskedThrough([way('tokyo', [dead]), way('berlin', [alice])], NONE)

    expect([...asked]).toEqual([fileAt('berlin', alice)])
  })

  it('is asked about where it is enabled, and for diagnosis where it is disabled', () => {
    const disabled = { ...alice, operatorDisabled: true }
    const ways = [way('tokyo', [disabled]), way('berlin', [alice]), way('paris', [disabled])]

    expect([...filesAskedThrough(ways, NONE)]).toEqual([
      fileAt('tokyo', alice),
      fileAt('berlin', alice),
    ])
  })
})
