import { describe, expect, it } from 'vitest'
import { epochMs, plusMs } from '../facts/time.ts'
import { fromNow, NOW } from '../testing/builders.ts'
import type { HealthAction, ToneAction } from './health-actions.ts'
import {
  actionChanges,
  actionTransitions,
  type LastingCause,
  lastingCauses,
  openActions,
  openCauses,
  stillLeft,
} from './open-actions.ts'

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

const low = (knownUnits = 3, windowId: '5h' | 'week' = '5h'): ToneAction => ({
  tone: 'warn',
  action: { code: 'capacity_low', provider: 'codex', windowId, knownUnits, trackedUnits: 59 },
})
/** The actions shown after each evaluation, given its second and the actions found. */
function shownAt(
  evaluations: readonly (readonly [seconds: number, found: readonly ToneAction[]])[],
): readonly (readonly ToneAction[])[] {
  let causes: readonly LastingCause[] = []
  return evaluations.map(([seconds, found]) => {
    causes = lastingCauses(found, causes, plusMs(NOW, seconds * 1000))
    return openCauses(causes)
  })
}
const countsAt = (evaluations: Parameters<typeof shownAt>[0]) =>
  shownAt(evaluations).map((actions) => actions.length)

describe('a cause', () => {
  // After each second what is found and how many actions are shown.
  it.each<readonly [why: string, course: string]>([
    ['shows once it has lasted a minute', '0 low 0, 59.999 low 0, 60 low 1'],
    ['that goes before it shows begins anew', '0 low 0, 40 none 0, 50 low 0, 70 low 0, 110 low 1'],
    [
      'shows for five minutes after it was last seen',
      '0 low 0, 60 low 1, 61 none 1, 359.999 none 1, 360 none 0',
    ],
    [
      'that comes back meanwhile has five minutes again',
      '0 low 0, 60 low 1, 300 none 1, 350 low 1, 600 none 1, 650 none 0',
    ],
    ['of one window says nothing of the other', '0 low 0, 30 both 0, 60 both 1, 90 both 2'],
    [
      'waits a minute from a clock that was set back, and no longer',
      '0 low 0, -3600 low 0, -3540 low 1',
    ],
    [
      'that is gone ends although the clock was set back',
      '0 low 0, 60 low 1, -3600 none 1, -3300 none 0',
    ],
  ])('%s: %s', (_, course) => {
    const found = { none: [], low: [low()], both: [low(), low(3, 'week')] }
    const steps = course.split(', ').map((step) => step.split(' '))

    expect(
      countsAt(steps.map(([at, which]) => [Number(at), found[which as keyof typeof found]])),
    ).toEqual(steps.map(([, , shown]) => Number(shown)))
  })

  it('shows as it was last found, since it was first found', () => {
    const [, open, gone] = shownAt([
      [0, [low(5)]],
      [60, [low(4)]],
      [90, []],
    ])

    expect(open).toEqual([{ ...low(4), since: NOW }])
    expect(gone).toEqual(open)
  })
})

const rival: ToneAction = { tone: 'warn', action: { code: 'usage_rival' } }

describe('actionChanges', () => {
  it.for<
    readonly [
      name: string,
      before: readonly ToneAction[],
      after: readonly ToneAction[],
      opened?: readonly string[],
      resolved?: readonly string[],
    ]
  >([
    ['nothing to nothing', [], []],
    ['the first action', [], [noKey], ['bad management_key_missing 1']],
    ['the same actions in another order', [noKey, rival], [rival, noKey]],
    ['one more kind while another stays', [noKey], [noKey, rival], ['warn usage_rival 1']],
    ['one kind gone', [noKey, rival], [noKey], [], ['warn usage_rival 1']],
    ['one for another', [noKey], [rival], ['warn usage_rival 1'], ['bad management_key_missing 1']],
    [
      'a second account with the same fault',
      [loggedOut('a')],
      [loggedOut('a'), loggedOut('b')],
      ['bad auth_invalid 2'],
    ],
    [
      'single actions grouped into one',
      [loggedOut('a'), loggedOut('b')],
      [loggedOut('a', 'b', 'c')],
      ['bad auth_invalid 3'],
    ],
    [
      'all but one are mended',
      [loggedOut('a', 'b', 'c')],
      [loggedOut('a')],
      [],
      ['bad auth_invalid 2'],
    ],
    ['another account in place of the first', [loggedOut('a')], [loggedOut('b')]],
  ])('$0', ([, before, after, opened = [], resolved = []]) => {
    const changes = actionChanges(before, after)
    const told = (list: typeof changes.opened) =>
      list.map(({ code, tone, count }) => `${tone} ${code} ${count}`)

    expect({ opened: told(changes.opened), resolved: told(changes.resolved) }).toEqual({
      opened,
      resolved,
    })
  })
})

it('an action goes on while its id does, whatever else of it changes', () => {
  const open = (...actions: readonly ToneAction[]) => openActions(actions, [], epochMs(0))
  const { opened, resolved } = actionTransitions(
    open(loggedOut('a'), noKey, { ...rival, tone: 'bad' }),
    open(rival, loggedOut('a', 'b'), noKey),
  )

  expect({ opened, resolved }).toMatchObject({
    opened: [{ id: 'auth_invalid' }],
    resolved: [{ id: 'auth_invalid:a' }],
  })
})
