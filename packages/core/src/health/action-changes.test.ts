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
  it.each<{
    readonly name: string
    readonly before: readonly ToneAction[]
    readonly after: readonly ToneAction[]
    readonly opened: readonly string[]
    readonly resolved: readonly string[]
  }>([
    { name: 'nothing to nothing', before: [], after: [], opened: [], resolved: [] },
    {
      name: 'the first action',
      before: [],
      after: [down],
      opened: ['bad management_key_missing 1'],
      resolved: [],
    },
    {
      name: 'the same actions in another order',
      before: [down, rival],
      after: [rival, down],
      opened: [],
      resolved: [],
    },
    {
      name: 'one more kind while another stays',
      before: [down],
      after: [down, rival],
      opened: ['warn usage_rival 1'],
      resolved: [],
    },
    {
      name: 'one kind gone',
      before: [down, rival],
      after: [down],
      opened: [],
      resolved: ['warn usage_rival 1'],
    },
    {
      name: 'one for another',
      before: [down],
      after: [rival],
      opened: ['warn usage_rival 1'],
      resolved: ['bad management_key_missing 1'],
    },
    {
      name: 'a second account with the same fault',
      before: [invalid('a')],
      after: [invalid('a'), invalid('b')],
      opened: ['bad auth_invalid 2'],
      resolved: [],
    },
    {
      name: 'single actions grouped into one',
      before: [invalid('a'), invalid('b')],
      after: [invalid('a', 'b', 'c')],
      opened: ['bad auth_invalid 3'],
      resolved: [],
    },
    {
      name: 'all but one are mended',
      before: [invalid('a', 'b', 'c')],
      after: [invalid('a')],
      opened: [],
      resolved: ['bad auth_invalid 2'],
    },
    {
      name: 'another account in place of the first',
      before: [invalid('a')],
      after: [invalid('b')],
      opened: [],
      resolved: [],
    },
  ])('$name', ({ before, after, opened, resolved }) => {
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
