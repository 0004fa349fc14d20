import type { HealthAction } from '@svc/core'
import type { KeyFileProblem } from '@svc/core/service'
import { fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createZone } from '../format/format.ts'
import { actionWords } from './action-words.ts'
import { accountNoun } from './en/provider-names.ts'

const text = createZone('Asia/Shanghai')
const one = [{ authName: 'a.json', accountKey: 'a', title: 'a@example.com' }]
const seven = Array.from('abcdefg', (name) => ({
  authName: `${name}.json`,
  accountKey: name,
  title: name,
}))

/** One of each code, so that a new one does not compile until it stands here. */
const everyAction: Readonly<{
  [Code in HealthAction['code']]: Extract<HealthAction, { readonly code: Code }> | HealthAction
}> = {
  history_backlog: { code: 'history_backlog', backlogSeconds: 200_000 },
  clock_doubted: { code: 'clock_doubted', reason: 'proxy', aheadSeconds: -100_000 },
  gateway_down: { code: 'gateway_down', since: fromNow(-60) },
  management_key_missing: { code: 'management_key_missing' },
  management_key_unreadable: { code: 'management_key_unreadable', reason: 'missing' },
  management_key_refused: {
    code: 'management_key_refused',
    at: fromNow(-60),
    nextAttemptAt: fromNow(8940),
    failure: 'unauthorized',
  },
  management_banned: { code: 'management_banned', until: fromNow(1800) },
  key_file_readable_by_others: { code: 'key_file_readable_by_others' },
  labels_file_readable_by_others: { code: 'labels_file_readable_by_others' },
  auth_files_readable_by_others: { code: 'auth_files_readable_by_others' },
  snapshot_partial: { code: 'snapshot_partial', failedSources: ['direct_quota', 'gateway'] },
  snapshot_stale: { code: 'snapshot_stale', sampledAt: fromNow(-300) },
  snapshot_unavailable: { code: 'snapshot_unavailable' },
  auth_invalid: { code: 'auth_invalid', accounts: one },
  deactivated: { code: 'deactivated', accounts: one },
  account_unavailable: { code: 'account_unavailable', accounts: one },
  quota_hit: { code: 'quota_hit', accounts: one },
  nothing_routable: { code: 'nothing_routable', blockedCount: 8, nextRoutableAt: fromNow(2460) },
  five_hour_below_minimum: { code: 'five_hour_below_minimum', knownUnits: 3.24, minimumUnits: 5 },
  weekly_below_minimum: { code: 'weekly_below_minimum', knownUnits: 0.01, minimumUnits: 5 },
  routable_below_minimum: { code: 'routable_below_minimum', routableCount: 1, minimumCount: 3 },
  runway_short: {
    code: 'runway_short',
    windowId: '5h',
    runsDryAt: fromNow(8_940),
    returnsBefore: null,
    returnsAgainAt: fromNow(18_000),
  },
  capacity_low: { code: 'capacity_low', windowId: 'week', knownUnits: 3.24, trackedUnits: 59 },
  failing_account: {
    code: 'failing_account',
    accounts: one,
    requestCount: 2_340,
    failedCount: 763,
  },
  direct_quota_degraded: { code: 'direct_quota_degraded', recentFailed: 7, recentCount: 12 },
  history_failing: { code: 'history_failing', reason: 'disk_full', since: fromNow(-60) },
  evaluation_stalled: { code: 'evaluation_stalled', since: fromNow(-60) },
  history_unreadable: { code: 'history_unreadable', reason: null, since: fromNow(-60) },
  history_wal_large: { code: 'history_wal_large', walBytes: 80_000_000 },
  usage_missed: { code: 'usage_missed', missedSeconds: 90 },
  usage_statistics_off: { code: 'usage_statistics_off' },
  usage_rival: { code: 'usage_rival' },
  usage_retention_short: { code: 'usage_retention_short', retentionSeconds: 10, neededSeconds: 20 },
  risky_listener: { code: 'risky_listener', host: '0.0.0.0' },
}

const kinds = ['auth', 'quota', 'threshold', 'gateway', 'upstream', 'history', 'config']

describe('actionWords', () => {
  it.each(Object.entries(everyAction))('%s says what is wrong and one thing to do', (_, action) => {
    const words = actionWords(action, NOW, text)

    expect(kinds).toContain(words.kind)
    for (const part of [words.title, words.badge]) expect(part).toMatch(/^[A-Z5]\S*(?: \S+)*$/)
    expect(words.summary).toMatch(/\.$/)
    expect(words.note).toMatch(/^[A-Z][^.]*\.$|^[A-Z].*(?:127\.0\.0\.1|`.*`).*\.$/)
    expect(JSON.stringify(words)).not.toMatch(/undefined|null|NaN|\[object/)
  })

  it.each([
    {
      why: 'with resets before and after',
      returnsBefore: { units: 5.04, firstAt: fromNow(600) },
      returnsAgainAt: fromNow(18_000),
      said: [
        '5h quota runs out at 22:29, 2h 31min before more comes.',
        'At the expected burn, with 5.0 Plus that come back before then, the first at 20:10.',
      ],
    },
    {
      why: 'with no reset known',
      returnsBefore: null,
      returnsAgainAt: null,
      said: [
        '5h quota runs out at 22:29, and no reset is known that returns more.',
        'At the expected burn. Nothing comes back before then.',
      ],
    },
  ])('a runway says when it ends, $why', ({ returnsBefore, returnsAgainAt, said }) => {
    const words = actionWords(
      {
        code: 'runway_short',
        windowId: '5h',
        runsDryAt: fromNow(8_940),
        returnsBefore,
        returnsAgainAt,
      },
      NOW,
      text,
    )

    expect([words.summary, words.detail]).toEqual(said)
  })

  it('one failing account is named, several are counted and named', () => {
    const failing = (accounts: typeof one) =>
      actionWords(
        { code: 'failing_account', accounts, requestCount: 2_340, failedCount: 763 },
        NOW,
        text,
      )

    expect(failing(one).summary).toBe(
      'a@example.com: 33% of its 2,340 requests in the last hour failed.',
    )
    expect(failing(seven)).toMatchObject({
      summary: '7 accounts: 33% of their 2,340 requests in the last hour failed.',
      detail: 'a, b, c, d, e and 2 more',
    })
  })

  it.each<KeyFileProblem>([
    'missing',
    'unreadable',
    'not_a_file',
    'foreign_owner',
    'writable_by_others',
    'too_large',
    'empty',
  ])('a key file that is %s has its own remedy', (reason) => {
    const words = actionWords({ code: 'management_key_unreadable', reason }, NOW, text)
    const others = actionWords(
      { code: 'management_key_unreadable', reason: reason === 'missing' ? 'empty' : 'missing' },
      NOW,
      text,
    )

    expect(words.summary).not.toBe(others.summary)
    expect(words.note).not.toBe(others.note)
  })

  it('a refused key says when the next attempt is', () => {
    expect(actionWords(everyAction.management_key_refused, NOW, text)).toEqual({
      kind: 'auth',
      title: 'Management key refused',
      badge: 'Refused',
      summary: 'The proxy refused the management key at 19:59.',
      detail: 'The next attempt is at 22:29, or as soon as the key changes.',
      note: 'Set the management key that the proxy is configured with.',
    })
  })

  it('a refused address does not blame the key', () => {
    const action: HealthAction = {
      code: 'management_key_refused',
      at: fromNow(-60),
      nextAttemptAt: fromNow(8940),
      failure: 'forbidden',
    }

    expect(actionWords(action, NOW, text)).toMatchObject({
      title: 'Management access refused',
      summary: 'The proxy refused management from this address at 19:59.',
    })
  })

  it('a ban says until when, and that the monitor is silent', () => {
    expect(actionWords(everyAction.management_banned, NOW, text)).toMatchObject({
      summary: 'After too many wrong keys the proxy bans this address until 20:30.',
      detail: 'The monitor stays silent until then.',
    })
  })

  it('names a single account', () => {
    const words = actionWords({ code: 'auth_invalid', accounts: one }, NOW, text)

    expect(words.summary).toBe('a@example.com: the login is no longer accepted.')
    expect(words.detail).toBeUndefined()
  })

  it('counts a group and names its first five', () => {
    expect(actionWords({ code: 'auth_invalid', accounts: seven }, NOW, text)).toMatchObject({
      title: 'Auth invalid',
      summary: '7 accounts: the login is no longer accepted.',
      detail: 'a, b, c, d, e and 2 more',
    })
    expect(
      actionWords({ code: 'auth_invalid', accounts: seven.slice(0, 2) }, NOW, text),
    ).toMatchObject({ detail: 'a, b' })
  })

  it.each<{
    readonly blockedCount: number
    readonly seconds: number | null
    readonly summary: string
    readonly detail: string | undefined
  }>([
    {
      blockedCount: 0,
      seconds: null,
      summary: `No account can take work: the proxy has no ${accountNoun([])}s.`,
      detail: undefined,
    },
    {
      blockedCount: 1,
      seconds: null,
      summary: 'No account can take work: the only one is blocked.',
      detail: 'None of them has a known time to come back.',
    },
    {
      blockedCount: 8,
      seconds: 2460,
      summary: 'No account can take work: all 8 are blocked.',
      detail: 'First back at 20:41, in 41min.',
    },
  ])(
    'nothing routable of $blockedCount, first back in $seconds',
    ({ blockedCount, seconds, summary, detail }) => {
      const nextRoutableAt = seconds === null ? null : fromNow(seconds)
      const words = actionWords(
        { code: 'nothing_routable', blockedCount, nextRoutableAt },
        NOW,
        text,
      )

      expect(words.summary).toBe(summary)
      expect(words.detail).toBe(detail)
    },
  )

  it('numbers carry what they are counted in', () => {
    expect(actionWords(everyAction.five_hour_below_minimum, NOW, text).summary).toBe(
      '3.2 Plus left, the minimum is 5.0.',
    )
    expect(actionWords(everyAction.weekly_below_minimum, NOW, text)).toMatchObject({
      title: 'Weekly quota below the minimum',
      summary: '<0.1 Plus left, the minimum is 5.0.',
    })
    expect(actionWords(everyAction.routable_below_minimum, NOW, text).summary).toBe(
      '1 routable account, the minimum is 3.',
    )
    expect(actionWords(everyAction.direct_quota_degraded, NOW, text).summary).toBe(
      '7 of the last 12 direct quota queries failed.',
    )
    expect(actionWords(everyAction.snapshot_partial, NOW, text).summary).toBe(
      'Direct quota, gateway failed. Other numbers are current.',
    )
  })
})
