import { describe, expect, it } from 'vitest'
import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import { anAccount, aQuotaSample, evidenceOf, fromNow, NOW } from '../testing/builders.ts'
import { filesAskedThrough, type UpstreamWay } from './asked-through.ts'

/** A proxy as a way to the vendor; healthy by default. */
function way(upstream: string, accounts: readonly Account[], isHealthy = true): UpstreamWay {
  return {
    accounts: accounts.map((account) => ({ ...account, upstream })),
    isHealthy,
    evidence: new Map(),
  }
}

const alice = anAccount('alice')

/** A proxy with this evidence about Alice. */
function knowing(upstream: string, evidence: AccountEvidence, account = alice): UpstreamWay {
  return {
    ...way(upstream, [account]),
    evidence: new Map([[fileAt(upstream, account), evidence]]),
  }
}

const refusedLogin = (inARow: number) =>
  evidenceOf([], {
    probeFailure: { at: NOW, kind: 'auth', httpStatus: 401, inARow },
    refusedLogin: { inARow, lastAt: NOW, httpStatus: 401 },
  })
const bob = anAccount('bob')
const askedThrough = (ways: readonly UpstreamWay[]) => filesAskedThrough(ways, NOW)
const fileAt = (upstream: string, { selector }: Account) => `${upstream}/${selector.authName}`

describe('an account that several proxies list', () => {
  it('is asked about through the first of them, others through their own', () => {
    const asked = askedThrough([way('tokyo', [alice]), way('berlin', [alice, bob])])

    expect([...asked]).toEqual([fileAt('tokyo', alice), fileAt('berlin', bob)])
  })

  it('is asked about through the first healthy one', () => {
    const asked = askedThrough([way('tokyo', [alice], false), way('berlin', [alice])])

    expect([...asked]).toEqual([fileAt('berlin', alice)])
  })

  it('is asked about through each of them in turn, whatever each answered', () => {
    const read = (seconds: number) =>
      evidenceOf([aQuotaSample({ fiveHour: 50, ageSeconds: seconds })])
    const failed = evidenceOf([], {
      probeFailure: { at: fromNow(-20), kind: 'failed', httpStatus: null, inARow: 1 },
    })
    const ways = [
      knowing('tokyo', read(60)),
      knowing('berlin', failed),
      knowing('paris', read(90)),
    ] as const

    expect([...askedThrough(ways)]).toEqual([fileAt('paris', alice)])
    expect([...askedThrough([...ways, way('oslo', [alice])])]).toEqual([fileAt('oslo', alice)])
  })

  it('is asked about through the same again while a refusal waits to be confirmed', () => {
    const ways = [knowing('tokyo', refusedLogin(1)), way('berlin', [alice])]

    expect([...askedThrough(ways)]).toEqual([fileAt('tokyo', alice)])
  })

  it('is asked about through a login that works, not one refused twice', () => {
    const ways = [knowing('tokyo', refusedLogin(2)), way('berlin', [alice])]

    expect([...askedThrough(ways)]).toEqual([fileAt('berlin', alice)])
  })

  it('is asked about through a login that was renewed after it had been refused', () => {
    const renewed = { ...alice, modifiedAt: fromNow(1) }
    const recent = evidenceOf([aQuotaSample({ fiveHour: 50, ageSeconds: -60 })])
    const ways = [knowing('tokyo', refusedLogin(2), renewed), knowing('berlin', recent)]

    expect([...askedThrough(ways)]).toEqual([fileAt('tokyo', alice)])
  })

  it('is asked about through a login that works where the proxy says that one is dead', () => {
    const dead: Account = {
      ...alice,
      message: { kind: 'auth_fault', code: 'token_revoked', deactivated: false },
    }
    const asked = askedThrough([way('tokyo', [dead]), way('berlin', [alice])])

    expect([...asked]).toEqual([fileAt('berlin', alice)])
  })

  it('is asked about where it is enabled, and for diagnosis where it is disabled', () => {
    const disabled = { ...alice, operatorDisabled: true }
    const ways = [way('tokyo', [disabled]), way('berlin', [alice]), way('paris', [disabled])]

    expect([...askedThrough(ways)]).toEqual([fileAt('tokyo', alice), fileAt('berlin', alice)])
  })
})
