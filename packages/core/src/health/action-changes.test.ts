import { describe, expect, it } from 'vitest'
import { epochMs } from '../facts/time.ts'
import type { HealthAction, ToneAction } from './health-actions.ts'
import { actionChanges, actionTransitions, openActions } from './open-actions.ts'

const bad = (action: HealthAction): ToneAction => ({ tone: 'bad', action })
const invalid = (...names: readonly string[]) =>
  bad({
    code: 'auth_invalid',
    accounts: names.map((name) => ({ authName: `${name}.json`, accountKey: name, title: name })),
  })
const down = bad({ code: 'management_key_missing' })
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
    ['the first action', [], [down], ['bad management_key_missing 1']],
    ['the same actions in another order', [down, rival], [rival, down]],
    ['one more kind while another stays', [down], [down, rival], ['warn usage_rival 1']],
    ['one kind gone', [down, rival], [down], [], ['warn usage_rival 1']],
    ['one for another', [down], [rival], ['warn usage_rival 1'], ['bad management_key_missing 1']],
    [
      'a second account with the same fault',
      [invalid('a')],
      [invalid('a'), invalid('b')],
      ['bad auth_invalid 2'],
    ],
    [
      'single actions grouped into one',
      [invalid('a'), invalid('b')],
      [invalid('a', 'b', 'c')],
      ['bad auth_invalid 3'],
    ],
    [
      'all but one are mended',
      [invalid('a', 'b', 'c')],
      [invalid('a')],
      [],
      ['bad auth_invalid 2'],
    ],
    ['another account in place of the first', [invalid('a')], [invalid('b')]],
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
    open(invalid('a'), down, { ...rival, tone: 'bad' }),
    open(rival, invalid('a', 'b'), down),
  )

  expect({ opened, resolved }).toMatchObject({
    opened: [{ id: 'auth_invalid' }],
    resolved: [{ id: 'auth_invalid:a' }],
  })
})
