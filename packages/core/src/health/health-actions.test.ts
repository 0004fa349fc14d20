import { describe, expect, it } from 'vitest'
import type { Account } from '../facts/account.ts'
import type { AccountEvidence, ProbeFailure } from '../facts/account-evidence.ts'
import type { ManagementAccess } from '../facts/management-access.ts'
import { readStatusMessage } from '../facts/status-message.ts'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  fromNow,
  NOW,
  neverRead,
  type ObservationChanges,
} from '../testing/builders.ts'
import { accessActions, accountActions, notifyActions } from './health-actions.ts'

const fine = [anAccount('fine'), evidenceOf([aQuotaSample()])] as const
const dead = { message: readStatusMessage('unauthorized', NOW) }
const onceRefused = { at: NOW, kind: 'failed', httpStatus: 400, inARow: 1 } as const
const gone = { message: readStatusMessage('payment_required', NOW) }

describe('the way to the proxy', () => {
  const actions = (changes: ObservationChanges) => accessActions(aLiveObservation([fine], changes))
  const gateway = (
    failuresInARow: number,
    everGood = true,
    where: { readonly address?: string } = {},
  ): ObservationChanges => ({
    sources: {
      gateway: {
        outcome: { kind: 'failed', code: 'unreachable', at: fromNow(-5) },
        failuresInARow,
        lastGood: everGood ? { value: { up: true }, at: fromNow(-35) } : null,
        ...where,
      },
    },
  })

  it.each<readonly [why: string, changes: ObservationChanges, expected: readonly unknown[]]>([
    ['nothing is wrong', {}, []],
    ['the gateway failed once', gateway(1), []],
    [
      'the gateway is down',
      gateway(2),
      [{ tone: 'bad', action: { code: 'gateway_down', since: fromNow(-35) } }],
    ],
    [
      'the gateway is down at an address',
      gateway(2, true, { address: 'http://127.0.0.1:8999' }),
      [
        {
          tone: 'bad',
          action: { code: 'gateway_down', since: fromNow(-35), address: 'http://127.0.0.1:8999' },
        },
      ],
    ],
    [
      'the gateway was never up',
      gateway(2, false),
      [{ tone: 'bad', action: { code: 'gateway_down', since: fromNow(-5) } }],
    ],
    [
      'others can read the key file',
      { openSecretFiles: ['management_key'] },
      [{ tone: 'warn', action: { code: 'key_file_readable_by_others' } }],
    ],
    [
      'others can read the labels and the auth files',
      { openSecretFiles: ['client_labels', 'auth_files'] },
      [
        { tone: 'warn', action: { code: 'labels_file_readable_by_others' } },
        { tone: 'warn', action: { code: 'auth_files_readable_by_others' } },
      ],
    ],
  ])('%s', (_, changes, expected) => {
    expect(actions(changes)).toEqual(expected)
  })

  it.each<readonly [management: ManagementAccess, expected: readonly unknown[]]>([
    [{ kind: 'unproven' }, []],
    [{ kind: 'accepted' }, []],
    [{ kind: 'no_key' }, [{ tone: 'bad', action: { code: 'management_key_missing' } }]],
    [
      { kind: 'unreadable_key', reason: 'writable_by_others' },
      [
        {
          tone: 'bad',
          action: { code: 'management_key_unreadable', reason: 'writable_by_others' },
        },
      ],
    ],
    [
      { kind: 'refused', at: NOW, nextAttemptAt: fromNow(9000), failure: 'unauthorized' },
      [
        {
          tone: 'bad',
          action: {
            code: 'management_key_refused',
            at: NOW,
            nextAttemptAt: fromNow(9000),
            failure: 'unauthorized',
          },
        },
      ],
    ],
    [
      { kind: 'banned', until: fromNow(1800) },
      [{ tone: 'bad', action: { code: 'management_banned', until: fromNow(1800) } }],
    ],
  ])('management access %j', (management, expected) => {
    expect(actions({ management })).toEqual(expected)
  })
})

describe('the accounts', () => {
  const briefly = (entries: readonly (readonly [Account, AccountEvidence | null])[]) =>
    accountActions(aSnapshot(entries)).map(({ tone, action }) =>
      'accounts' in action
        ? `${tone} ${action.code} ${action.accounts.map(({ title }) => title.split('@')[0]).join(' ')}`
        : `${tone} ${action.code}`,
    )
  const used = evidenceOf([aQuotaSample({ week: 0, weekResetsInSeconds: 600 })])
  const usedWithoutReset = evidenceOf([aQuotaSample({ week: 0 })])

  it.for<
    readonly [
      name: string,
      changes: Partial<Account>,
      expected?: readonly string[],
      evidence?: AccountEvidence | null,
    ]
  >([
    ['is fine', {}],
    ['has a dead login', dead, ['bad auth_invalid a']],
    ['is deactivated', gone, ['bad deactivated a']],
    ['is held back without a time', { unavailable: true }, ['warn account_unavailable a']],
    ['has status invalid', { upstreamStatus: 'invalid' }, ['warn account_unavailable a']],
    ['is used up and names no reset', {}, ['bad quota_hit a'], usedWithoutReset],
    ['is used up until a reset', {}, [], used],
    ['waits for a retry time', { unavailable: true, nextRetryAt: fromNow(60) }],
    ['cools down', { upstreamStatus: 'error', message: { kind: 'quota' } }],
    ['is degraded', { upstreamStatus: 'error' }],
    ['is disabled', { operatorDisabled: true }],
    ['is disabled and used up', { operatorDisabled: true }, [], usedWithoutReset],
    [
      'is disabled and reported unavailable',
      { operatorDisabled: true, unavailable: true },
      ['warn account_unavailable a'],
    ],
    [
      'is disabled and reported unavailable for a while',
      { operatorDisabled: true, unavailable: true, nextRetryAt: fromNow(60) },
      ['warn account_unavailable a'],
    ],
    ['is disabled and its login dead', { operatorDisabled: true, ...dead }, ['bad auth_invalid a']],
    ['is disabled and deactivated', { operatorDisabled: true, ...gone }, ['bad deactivated a']],
    [
      'is disabled and its last diagnostic query failed',
      { operatorDisabled: true },
      [],
      evidenceOf([], {
        disabledProbe: { state: 'auth_invalid', probedAt: NOW, httpStatus: 401, sample: null },
      }),
    ],
  ])('one that $0', ([, changes, expected = [], evidence = null]) => {
    expect(briefly([fine, [anAccount('a', changes), evidence]])).toEqual(expected)
  })

  const refusing = (seconds: number, failure: Partial<ProbeFailure> = {}) =>
    evidenceOf([], {
      probeFailure: {
        ...{ at: fromNow(-600), kind: 'failed', httpStatus: 400, inARow: 5 },
        firstAt: fromNow(-600 - seconds),
        ...failure,
      },
    })
  it.for<readonly [why: string, evidence: AccountEvidence, named: boolean, changes?: object]>([
    ['for an hour', refusing(3600), true],
    ['for less', refusing(3599), false],
    ['once', evidenceOf([], { probeFailure: onceRefused }), false],
    ['by a server that fails', refusing(7200, { httpStatus: 503 }), false],
    ['by no answer', refusing(7200, { httpStatus: null }), false],
    ['because it is not offered', refusing(7200, { kind: 'unavailable' }), false],
    ['while it is disabled', refusing(7200), false, { operatorDisabled: true }],
    ['and that has ended', refusing(7200), false, gone],
  ])('one whose queries are refused $0: $2', ([, evidence, named, changes = {}]) => {
    const said = briefly([fine, [anAccount('a', { provider: 'claude', ...changes }), evidence]])

    expect(said.includes('warn quota_query_refused a')).toBe(named)
  })

  it('many whose queries are refused share one action', () => {
    const many = ['1', '2', '3', '4', '5', '6'].map(
      (name) => [anAccount(name), refusing(7200)] as const,
    )

    expect(briefly([fine, ...many])).toEqual(['warn quota_query_refused 1 2 3 4 5 6'])
  })

  it.each([
    [
      5,
      [
        'bad auth_invalid 1',
        'bad auth_invalid 2',
        'bad auth_invalid 3',
        'bad auth_invalid 4',
        'bad auth_invalid 5',
      ],
    ],
    [6, ['bad auth_invalid 1 2 3 4 5 6']],
  ])('%d with the same fault', (count, expected) => {
    const faulty = Array.from(
      { length: count },
      (_, index) => [anAccount(`${index + 1}`, dead), null] as const,
    )

    expect(briefly([fine, ...faulty])).toEqual(expected)
  })

  it('are grouped by fault, each on its own', () => {
    const faulty = Array.from(
      { length: 12 },
      (_, index) =>
        [anAccount(`${index}`, index < 6 ? dead : { unavailable: true }), null] as const,
    )

    expect(briefly([fine, ...faulty])).toHaveLength(2)
  })

  it('are named by file, key and title, with what their state is named after', () => {
    const named = {
      authName: 'codex-a@example.com-plus.json',
      accountKey: 'key-a',
      title: 'a@example.com',
      reason: 'auth_invalid',
    }

    expect(accountActions(aSnapshot([fine, [anAccount('a', dead), null]]))).toEqual([
      { tone: 'bad', action: { code: 'auth_invalid', accounts: [named] } },
    ])
  })

  it('are bad when none is routable, with the time the first is back', () => {
    const sooner = evidenceOf([aQuotaSample({ fiveHour: 0, fiveHourResetsInSeconds: 300 })])

    expect(
      accountActions(
        aSnapshot([
          [anAccount('a'), used],
          [anAccount('b'), sooner],
          [anAccount('off', { operatorDisabled: true }), null],
        ]),
      ),
    ).toEqual([
      {
        tone: 'bad',
        action: {
          code: 'nothing_routable',
          provider: 'codex',
          blockedCount: 3,
          nextRoutableAt: fromNow(300),
        },
      },
    ])
    expect(accountActions(aSnapshot([[anAccount('a', { operatorDisabled: true }), null]]))).toEqual(
      [
        {
          tone: 'bad',
          action: {
            code: 'nothing_routable',
            provider: 'codex',
            blockedCount: 1,
            nextRoutableAt: null,
          },
        },
      ],
    )
    expect(briefly([])).toEqual(['bad nothing_routable'])
  })

  it('are not missed while no list was ever read', () => {
    const none = aSnapshot([], { sources: { accounts: neverRead } })

    expect(accountActions(none)).toEqual([])
  })
})

describe('messages that do not arrive', () => {
  const standing = {
    name: 'phone',
    kind: 'ntfy',
    sentCount: 1,
    lostCount: 0,
    waitingCount: 1,
    lastSentAt: fromNow(-600),
    failure: { code: 'refused', since: fromNow(-60) },
    isFailing: true,
  } as const

  it.each([
    ['tried again', [{ ...standing, isFailing: false }], []],
    ['given up, at one of two', [standing, { ...standing, isFailing: false }], ['phone']],
    ['given up, at both', [standing, { ...standing, name: 'team' }], ['phone', 'team']],
    ['sent nowhere', undefined, []],
  ])('and are $0: an action for $2', (_, notify, targets) => {
    expect(notifyActions(notify === undefined ? {} : { notify })).toEqual(
      targets.map((target) => ({
        tone: 'warn',
        action: { code: 'notify_failing', target, failure: 'refused', since: fromNow(-60) },
      })),
    )
  })
})
