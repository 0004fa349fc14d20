import type { HealthAction } from '@svc/core'
import { fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { anAccount, everyAction } from '../testing/every-code.ts'
import { actionWords } from './health-words.ts'
import { createWording } from './wording.ts'

const text = createWording('Asia/Shanghai')
const one = [anAccount]
const seven = Array.from('abcdefg', (name) => ({
  authName: `${name}.json`,
  accountKey: name,
  title: name,
}))

const kinds = ['auth', 'quota', 'threshold', 'gateway', 'upstream', 'history', 'config']

describe('actionWords', () => {
  it.each(Object.entries(everyAction))('%s says what is wrong and one thing to do', (_, action) => {
    const words = actionWords(action, NOW, text)

    expect(kinds).toContain(words.kind)
    for (const part of [words.title, words.badge]) expect(part).toMatch(/^[A-Z5]\S*(?: \S+)*$/)
    expect(words.summary).toMatch(/\.$/)
    expect(words.note).toMatch(/^[A-Z](?:[^.]|\.(?=\w))*\.$|^[A-Z].*(?:127\.0\.0\.1|`.*`).*\.$/)
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
        provider: 'codex',
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

  it.each([
    { why: 'all lost by one cause', causes: ['invalidated', 'invalidated'] as const },
    { why: 'by several', causes: ['invalidated', 'invalidated', 'deactivated'] as const },
  ])('a wave says when, by which evidence, and what to do, $why', ({ causes }) => {
    const accounts = causes.map((cause, index) => ({
      ...anAccount,
      cause,
      lostAt: fromNow(600 * index - 3_000),
    }))
    const words = actionWords({ code: 'login_wave', accounts }, NOW, text)

    expect([words.summary, words.note]).toEqual(
      causes.length === 2
        ? [
            '2 accounts lost their login between 19:10 and 19:20: 2 ended by the vendor.',
            'Find out what ended them, as a changed password or a sign-out everywhere, then log in again on the proxy.',
          ]
        : [
            '3 accounts lost their login between 19:10 and 19:30: 2 ended by the vendor, 1 with a plan or workspace that has ended.',
            'Renew or remove the accounts whose plan or workspace has ended, and log in again on the proxy with the others.',
          ],
    )
  })

  it.each([
    { seenAt: fromNow(-200_000), age: '2d 7h old' },
    { seenAt: null, age: 'of unknown age' },
  ])('a subscription ends as a login says that is $age', ({ seenAt, age }) => {
    const ends = { ...anAccount, state: 'last_day' as const, until: fromNow(3_600), seenAt }
    const words = (count: number) =>
      actionWords({ code: 'subscription_ends', accounts: Array(count).fill(ends) }, NOW, text)

    expect(words(1)).toMatchObject({
      summary: 'a@example.com: the subscription ends at 21:00, in 1h 00min.',
      detail: `So says the last login, ${age}; a renewal since then does not show.`,
    })
    expect(words(7).summary).toBe(
      '7 accounts: the subscriptions end, the first at 21:00, in 1h 00min.',
    )
  })

  it('a banked reset lapses, and is worth most where the week is used up for longest', () => {
    const lapsing = (titles: readonly string[], waits: readonly (number | null)[]) =>
      actionWords(
        {
          code: 'banked_reset_lapses',
          accounts: titles.map((title, index) => {
            const wait = waits[index] ?? null
            const weekUsedUpUntil = wait === null ? null : fromNow(wait)
            return { ...anAccount, title, until: fromNow(3_600), resetCount: 1, weekUsedUpUntil }
          }),
        },
        NOW,
        text,
      )

    expect(lapsing(['ann'], [7_200])).toMatchObject({
      summary: 'ann: a banked reset lapses at 21:00, in 1h 00min.',
      detail: 'Its week is used up until 22:00.',
    })
    expect(lapsing(['ann'], []).detail).toBeUndefined()
    expect(lapsing(['ann', 'bob', 'cem'], [60, null, 7_200])).toMatchObject({
      summary: '3 accounts: 3 banked resets lapse, the first at 21:00, in 1h 00min.',
      detail: 'Worth most first, with the week used up: cem, ann.',
    })
    expect(lapsing(['ann', 'bob'], []).detail).toBe('ann, bob')
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

  it('a refused key says when the next attempt is', () => {
    expect(actionWords(everyAction.management_key_refused, NOW, text)).toEqual({
      kind: 'auth',
      title: 'Management key refused',
      badge: 'Refused',
      summary: 'The proxy refused the management key at 19:59.',
      detail:
        'The next attempt is at 22:29, or as soon as the key changes: more of them could make the proxy lock this host out.',
      note: 'Set the management key that the proxy is configured with, in plain text, not the hash.',
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

  it.each<
    readonly [
      blockedCount: number,
      seconds: number | null,
      summary: string,
      detail: string | undefined,
    ]
  >([
    [0, null, 'No account can take work: the proxy has none.', undefined],
    [
      1,
      null,
      'No account can take work: the only one is blocked.',
      'None of them has a known time to come back.',
    ],
    [8, 2460, 'No account can take work: all 8 are blocked.', 'First back at 20:41, in 41min.'],
  ])('nothing routable of $0, first back in $1', (blockedCount, seconds, summary, detail) => {
    const nextRoutableAt = seconds === null ? null : fromNow(seconds)
    const words = actionWords(
      { code: 'nothing_routable', provider: 'codex', blockedCount, nextRoutableAt },
      NOW,
      text,
    )

    expect(words.summary).toBe(summary)
    expect(words.detail).toBe(detail)
  })

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
    expect(actionWords(everyAction.quota_query_refused, NOW, text).summary).toMatch(
      /: the vendor refuses to tell the quota \(status 400\)\.$/,
    )
    expect(actionWords(everyAction.direct_quota_degraded, NOW, text).summary).toBe(
      '7 of the last 12 direct quota queries failed.',
    )
    expect(actionWords(everyAction.snapshot_partial, NOW, text).summary).toBe(
      'Direct quota, gateway failed. Other numbers are current.',
    )
  })

  it.each([
    { at: {}, said: '' },
    { at: { unread: ['paris'] }, said: 'The accounts of paris are not counted.' },
    { at: { old: ['berlin'] }, said: 'The accounts of berlin count as last read.' },
    {
      at: { unread: ['paris'], old: ['berlin'] },
      said: 'The accounts of paris are not counted. The accounts of berlin count as last read.',
    },
  ])('says what a failure at $at leaves of the numbers', ({ at, said }) => {
    const action = {
      code: 'snapshot_partial',
      failedSources: ['accounts'],
      othersCurrent: false,
      failedAt: ['berlin', 'paris'],
      ...at,
    } as const
    expect(actionWords(action, NOW, text).summary).toBe(
      `Account list failed at berlin, paris. ${said}`.trimEnd(),
    )
  })
})
