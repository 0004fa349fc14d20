import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { kiosk } from '../state/display-state.ts'
import {
  anAction,
  anEntry,
  change,
  changeHealth,
  draw,
  elementsOf,
  showAnswer,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { OpenActions } from './open-actions.tsx'

/** Shows this number of actions, each about a different account. */
function showActions(count: number, tones: readonly ('bad' | 'warn')[] = []): void {
  showPool([anEntry('ana')])
  changeHealth(() => {
    const actions = Array.from({ length: count }, (_, index) =>
      anAction({
        id: `auth_invalid:${index}`,
        accountKeys: index === 0 ? ['key-ana'] : [],
        tone: tones[index] ?? 'warn',
        title: `Trouble ${index + 1}`,
      }),
    )
    return { actions, actionCount: count }
  })
}

const section = (isBrief = false) => draw(h(OpenActions, { isBrief }))

describe('what needs an operator', () => {
  it.each([
    ['gateway_down', undefined, 'Trouble 1 Do: Mend it.'],
    ['snapshot_stale', undefined, 'Trouble 1 Do: Mend it.'],
    ['gateway_down', 'north', 'Trouble 1 It is broken. Do: Mend it.'],
    ['auth_invalid', undefined, 'Trouble 1 It is broken. Do: Mend it.'],
  ])(
    'does not say again what the answer says of a dead proxy: %s at %s',
    (code, upstream, words) => {
      showActions(1)
      changeHealth(({ actions }) => ({
        actions: actions.map((action) => ({ ...action, code, upstream })),
      }))
      showAnswer({ code: 'proxy_down', tone: 'bad', text: 'It does not answer.' })

      expect(wordsOfEach(section(), '.needs li')).toEqual([words])
      expect(wordsOfEach(section(true), '.needs li')).toEqual([words])
    },
  )

  it('leads to the account it is about, and to the health view where it is about none', () => {
    showActions(2)
    const place = section()

    expect(elementsOf(place, '.what').map((link) => link.getAttribute('href'))).toEqual([
      '#accounts/index-ana',
      '#health',
    ])
  })

  it.each([
    { count: 3, isBrief: false, less: '', more: '' },
    { count: 4, isBrief: false, less: '1 more', more: '' },
    { count: 8, isBrief: false, less: '5 more', more: '' },
    { count: 9, isBrief: false, less: '6 more', more: '1 more' },
    { count: 4, isBrief: true, less: '', more: '' },
  ])(
    'of $count actions counts those it does not list: $less, on a tall screen $more',
    ({ count, isBrief, less, more }) => {
      showActions(count)
      const place = section(isBrief)

      expect(wordsOf(place.querySelector('.less'))).toBe(less)
      expect(wordsOf(place.querySelector('.more .rest'))).toBe(more)
    },
  )

  it('says how many of those it does not list are urgent', () => {
    showActions(6, ['bad', 'bad', 'bad', 'bad', 'warn', 'bad'])

    expect(wordsOf(section().querySelector('.less'))).toBe('3 more, 2 urgent')
  })

  it('says of each what to do also where there is room for little more, and counts the others', () => {
    showActions(7, ['bad', 'bad', 'bad', 'bad', 'bad', 'bad'])

    expect(wordsOfEach(section(true), '.needs li')).toEqual([
      ...[1, 2, 3].map((number) => `Trouble ${number} It is broken. Do: Mend it.`),
      '4 more, 3 urgent',
    ])
  })

  it('has four lines on a wall, and nothing that looks as if it could be pressed', () => {
    showActions(5)
    change(() => {
      kiosk.value = '1'
    })
    const place = section()
    kiosk.value = ''

    expect(wordsOfEach(place, '.needs li')).toEqual([
      ...[1, 2, 3].map((number) => `Trouble ${number} It is broken. Do: Mend it.`),
      '+2 more',
    ])
    expect(place.querySelector('.rest')?.localName).toBe('span')
  })
})
