import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../facts/time.ts'
import {
  type PlanAccount,
  type PlanChange,
  type ProposedOff,
  priorityChangesOf,
  proxyPlanOf,
} from './plan.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const at = (minutes: number) => epochMs(NOW + minutes * 60_000)

function anAccount(changes: Partial<PlanAccount> = {}): PlanAccount {
  return {
    upstream: 'default',
    authName: 'a.json',
    off: false,
    usedUp: [],
    quotaReadAt: null,
    routable: true,
    score: 50,
    priority: null,
    ...changes,
  }
}

const week = (until: number | null) => ({
  slug: 'quota_exhausted_week',
  until: until === null ? null : at(until),
})

const aProposal = (changes: Partial<ProposedOff> = {}): ProposedOff => ({
  upstream: 'default',
  authName: 'a.json',
  proposedAt: at(-60),
  reasons: ['quota_exhausted_week'],
  until: at(60),
  ...changes,
})

const shown = (changes: readonly PlanChange[]) =>
  changes.map((change) => `${change.kind} ${change.upstream} ${change.authName}`)

describe('the plan', () => {
  /** Its change, and the end that is remembered. */
  it.for<
    readonly [
      what: string,
      account: Partial<PlanAccount>,
      outcome: string,
      proposed?: Partial<ProposedOff>,
    ]
  >([
    ['quota left', {}, 'nothing'],
    ['a used-up week', { usedUp: [week(30)] }, 'switch_off until 30, kept until 30'],
    [
      'two used-up windows, which last until the later reset',
      { usedUp: [week(30), { slug: 'quota_exhausted_5h', until: at(90) }] },
      'switch_off until 90, kept until 90',
    ],
    [
      'a used-up window without a known reset',
      { usedUp: [week(30), { slug: 'quota_exhausted_spend', until: null }] },
      'switch_off until null, kept until null',
    ],
    ['one that an operator has switched off', { off: true }, 'nothing'],
    [
      'a used-up one that an operator has switched off',
      { off: true, usedUp: [week(30)] },
      'nothing',
    ],
    [
      'one switched off as proposed, before its reset',
      { off: true, usedUp: [week(60)] },
      'nothing, kept until 60',
      {},
    ],
    ['one whose readings were lost before its reset', { off: true }, 'nothing, kept until 60', {}],
    [
      'one whose newer reading names a later reset',
      { off: true, usedUp: [week(500)] },
      'nothing, kept until 500',
      { until: at(-1) },
    ],
    [
      'one whose reset has passed',
      { off: true },
      'switch_on by reset at 0, kept until 0',
      { until: at(0) },
    ],
    [
      'one without a known reset, however long ago it was proposed',
      { off: true },
      'nothing, kept until null',
      { until: null, proposedAt: at(-1_000_000) },
    ],
    [
      'one with quota by a newer reading',
      { off: true, quotaReadAt: at(-5) },
      'switch_on by reading at -5, kept until null',
      { until: null },
    ],
    [
      'one with quota by a reading before the proposal',
      { off: true, quotaReadAt: at(-61) },
      'nothing, kept until null',
      { until: null },
    ],
    ['one that is on again', {}, 'nothing', { until: at(-1) }],
    [
      'one that was not switched off as proposed',
      { usedUp: [week(60)] },
      'switch_off until 60, kept until 60',
      {},
    ],
    ['a file renamed meanwhile', { authName: 'b.json', off: true }, 'nothing', { until: at(-1) }],
    [
      'a file of that name at another proxy',
      { upstream: 'tokyo', off: true },
      'nothing, kept until -1',
      { until: at(-1) },
    ],
  ])('$0: $2', ([, account, outcome, proposed]) => {
    const plan = proxyPlanOf({
      accounts: [anAccount(account)],
      proposed: proposed === undefined ? [] : [aProposal(proposed)],
      now: NOW,
    })

    const minute = (instant: number | null) => (instant === null ? null : (instant - NOW) / 60_000)
    const changes = plan.changes.map((change) =>
      change.kind === 'switch_off'
        ? `switch_off until ${minute(change.until)}`
        : change.kind === 'switch_on'
          ? `switch_on by ${change.because} at ${minute(change.since)}`
          : change.kind,
    )
    const kept = plan.proposed.map(({ until }) => `, kept until ${minute(until)}`)

    expect(`${changes.join() || 'nothing'}${kept.join('')}`).toBe(outcome)
  })

  it('says what stays off because of it, dated by the last plan that proposed it', () => {
    const used = anAccount({ usedUp: [week(90)] })
    const first = proxyPlanOf({ accounts: [used], proposed: [], now: at(0) })
    const second = proxyPlanOf({ accounts: [used], proposed: first.proposed, now: at(30) })
    const off = { ...used, off: true }
    const applied = proxyPlanOf({ accounts: [off], proposed: second.proposed, now: at(60) })
    const unread = { ...off, usedUp: [] }

    expect([first.off, second.off]).toEqual([[], []])
    expect(first.changes).toMatchObject([{ reasons: ['quota_exhausted_week'] }])
    expect(applied.off).toEqual([aProposal({ proposedAt: at(30), until: at(90) })])
    const later = (now: number) =>
      proxyPlanOf({ accounts: [unread], proposed: applied.proposed, now: at(now) }).off
    expect(later(89)).toEqual(applied.off)
    // It is to be switched on.
    expect(later(90)).toEqual([])
    // The operator's own.
    expect(proxyPlanOf({ accounts: [off], proposed: [], now: NOW }).off).toEqual([])
  })

  it('keeps what it knows of a proxy of which nothing is listed', () => {
    expect(proxyPlanOf({ accounts: [], proposed: [aProposal()], now: NOW })).toEqual({
      changes: [],
      off: [],
      proposed: [aProposal()],
    })
  })

  const account = fc.record({
    upstream: fc.constantFrom('default', 'tokyo'),
    authName: fc.constantFrom('a.json', 'b.json', 'c.json', 'd.json'),
    off: fc.boolean(),
    usedUp: fc.array(
      fc.record({
        slug: fc.constantFrom('quota_exhausted_5h', 'quota_exhausted_week'),
        until: fc.option(fc.integer({ min: 1, max: 600 }).map(at)),
      }),
      { maxLength: 2 },
    ),
    quotaReadAt: fc.option(fc.integer({ min: -600, max: 0 }).map(at)),
    routable: fc.boolean(),
    score: fc.integer({ min: 0, max: 100 }),
    priority: fc.option(fc.integer({ min: -1, max: 3 })),
  })
  const pool = fc.uniqueArray(account, {
    selector: ({ upstream, authName }) => `${upstream}/${authName}`,
  })
  const proposals = fc.uniqueArray(
    fc.record({
      upstream: fc.constantFrom('default', 'tokyo'),
      authName: fc.constantFrom('a.json', 'b.json', 'c.json', 'd.json'),
      proposedAt: fc.integer({ min: -600, max: 0 }).map(at),
      reasons: fc.constant(['quota_exhausted_week']),
      until: fc.option(fc.integer({ min: -600, max: 600 }).map(at)),
    }),
    { selector: ({ upstream, authName }) => `${upstream}/${authName}` },
  )

  it('proposes nothing more once it is applied', () => {
    fc.assert(
      fc.property(pool, proposals, (accounts, proposed) => {
        const plan = proxyPlanOf({ accounts, proposed, now: NOW })
        const changes = [...plan.changes, ...priorityChangesOf(accounts)]
        const applied = accounts.map((each) => withChanges(each, changes))
        const again = proxyPlanOf({ accounts: applied, proposed: plan.proposed, now: NOW })

        expect(shown([...again.changes, ...priorityChangesOf(applied)])).toEqual([])
      }),
    )
  })

  it('is the same again as long as nothing is applied', () => {
    fc.assert(
      fc.property(pool, proposals, (accounts, proposed) => {
        const plan = proxyPlanOf({ accounts, proposed, now: NOW })

        expect(proxyPlanOf({ accounts, proposed: plan.proposed, now: NOW })).toEqual(plan)
      }),
    )
  })

  it('never switches on what an operator has switched off, over any course of days', () => {
    const step = fc.record({
      usedUpFor: fc.option(fc.integer({ min: 1, max: 300 })),
      operator: fc.constantFrom('nothing', 'nothing', 'off', 'on'),
      applies: fc.boolean(),
      minutes: fc.integer({ min: 1, max: 400 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let proposed: readonly ProposedOff[] = []
        let minutes = 0
        let until = -1
        let off = false
        let offByOperator = false
        for (const each of steps) {
          minutes += each.minutes
          if (each.usedUpFor !== null && until <= minutes) until = minutes + each.usedUpFor
          // An operator acts on an account with quota left; with none left the plan has asked for the same.
          if (each.operator === 'off' && !off && until <= minutes && proposed.length === 0)
            off = offByOperator = true
          if (each.operator === 'on') off = offByOperator = false
          const usedUp = until > minutes ? [week(until)] : []
          const plan = proxyPlanOf({
            accounts: [anAccount({ off, usedUp })],
            proposed,
            now: at(minutes),
          })
          proposed = plan.proposed
          for (const { kind } of plan.changes) {
            if (kind === 'switch_on') expect(offByOperator).toBe(false)
            if (each.applies) off = kind === 'switch_off'
          }
        }
      }),
    )
  })
})

describe('the priorities', () => {
  it.each([
    // Points below the best account, the priority now, the priority then.
    [0, null, 2],
    [10, null, 2],
    [11, null, 1],
    [24, null, 1],
    [25, null, null],
    [90, null, null],
    [16, 2, null],
    [17, 2, 1],
    [40, 2, 0],
    [5, 1, null],
    [4, 1, 2],
    [36, 1, null],
    [37, 1, 0],
    [0, 7, null],
    [90, -1, null],
  ])('%i points below the best with %s: %s', (below, priority, to) => {
    const best = anAccount({ authName: 'best.json', score: 95, priority: 2 })
    const [change] = priorityChangesOf([best, anAccount({ score: 95 - below, priority })])

    expect(change ?? null).toEqual(to === null ? null : expect.objectContaining({ to }))
  })

  it('leaves blocked accounts alone and compares within a proxy', () => {
    const accounts = [
      anAccount({ authName: 'best.json', score: 95, priority: 2 }),
      anAccount({ authName: 'blocked.json', score: 0, routable: false, priority: 2 }),
      anAccount({ upstream: 'tokyo', score: 20, priority: 2 }),
    ]

    expect(priorityChangesOf(accounts)).toEqual([])
  })
})

function withChanges(account: PlanAccount, changes: readonly PlanChange[]): PlanAccount {
  let after = account
  for (const change of changes) {
    if (change.authName !== account.authName || change.upstream !== account.upstream) continue
    if (change.kind === 'set_priority') after = { ...after, priority: change.to }
    else after = { ...after, off: change.kind === 'switch_off' }
  }
  return after
}
