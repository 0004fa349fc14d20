import { describe, expect, it } from 'vitest'
import { fromNow, NOW } from '../testing/builders.ts'
import type { HealthAction, ToneAction } from './health-actions.ts'
import { openActions, stillLeft } from './open-action.ts'

const bad = (action: HealthAction): ToneAction => ({ tone: 'bad', action })
const loggedOut = (...keys: readonly string[]) =>
  bad({
    code: 'auth_invalid',
    accounts: keys.map((accountKey) => ({
      authName: `${accountKey}.json`,
      accountKey,
      title: accountKey,
    })),
  })
const noKey = bad({ code: 'management_key_missing' })

describe('an open action', () => {
  it.each<readonly [why: string, actions: readonly ToneAction[], ids: readonly string[]]>([
    ['is named by its code', [noKey], ['management_key_missing']],
    [
      'is named by its account, where it has one',
      [loggedOut('a'), loggedOut('b')],
      ['auth_invalid:a', 'auth_invalid:b'],
    ],
    [
      'is counted, where files share an account',
      [loggedOut('a'), loggedOut('a')],
      ['auth_invalid:a', 'auth_invalid:a:2'],
    ],
    [
      'is named by its target, where it has one',
      [bad({ code: 'notify_failing', target: 'phone', failure: 'refused', since: fromNow(-60) })],
      ['notify_failing:phone'],
    ],
    ['of a group has its code alone', [loggedOut('a', 'b')], ['auth_invalid']],
  ])('%s', (_, actions, ids) => {
    expect(openActions(actions, [], NOW).map(({ id }) => id)).toEqual(ids)
  })

  it('is open since it was first seen', () => {
    const first = openActions([noKey], [], fromNow(-60))

    expect(openActions([noKey, loggedOut('a')], first, NOW).map(({ since }) => since)).toEqual([
      fromNow(-60),
      NOW,
    ])
  })

  it.each<readonly [why: string, foundAfterSeconds: number, gone: boolean, since: number]>([
    ['at once', 0, false, -3600],
    ['as soon as its cause shows again', 300, false, -3600],
    ['not by then', 400, false, 400],
    ['again, after it was gone', 60, true, 60],
  ])(
    'an earlier process left open is open since then if it is found %s',
    (_, seconds, gone, since) => {
      const left = [{ id: 'management_key_missing', since: fromNow(-3600) }]
      const first = openActions(gone ? [noKey] : [], left, NOW)
      const stays = stillLeft(left, first, NOW)
      expect(stays).toHaveLength(gone ? 0 : 1)
      const kept = stillLeft(stays, [], fromNow(seconds))

      expect(openActions([noKey], kept, fromNow(seconds))).toMatchObject([
        { since: fromNow(since) },
      ])
    },
  )

  it('that was gone in between is open since it came back', () => {
    const gone = openActions([], openActions([noKey], [], fromNow(-120)), fromNow(-60))

    expect(openActions([noKey], gone, NOW)).toMatchObject([{ since: NOW }])
  })

  it('is open since its cause began, where that is known, and never later than before', () => {
    const first = openActions(
      [bad({ code: 'gateway_down', since: fromNow(-90) })],
      [],
      fromNow(-60),
    )

    expect(first).toMatchObject([{ since: fromNow(-90) }])
    expect(
      openActions([bad({ code: 'gateway_down', since: fromNow(-10) })], first, NOW),
    ).toMatchObject([{ since: fromNow(-90) }])
  })
})
