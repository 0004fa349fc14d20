import { anAccount } from '@svc/core/testing'
import { unitsText } from '@svc/views/format'
import { h } from 'preact'
import { expect, it } from 'vitest'
import { openParts } from '../state/display-state.ts'
import { anEntry, change, click, draw, showPool, wordsOfEach } from '../testing/page.ts'
import { QuotaParts, quotaParts } from './quota-parts.tsx'

type Window = NonNullable<typeof quotaParts.value>['windows'][number]
type Part = Window['parts'][number]

const part = (name: string, state: Part['state'], units: number, stale = false): Part => ({
  accountKey: `key-${name}`,
  title: `${name}@example.com`,
  badge: 'Plus',
  state,
  stale,
  units,
  text: unitsText(units),
})

/** Draws the parts of the 5h window. */
function drawParts(window: Partial<Window>): HTMLElement {
  const place = draw(h(QuotaParts, { onClose: () => undefined }))
  change(() => {
    openParts.value = '5h'
    quotaParts.value = {
      provider: 'codex',
      sampledAt: null,
      windows: [
        {
          provider: 'codex',
          id: '5h',
          label: '5h',
          unit: 'plus',
          knownUnits: 0,
          trackedUnits: 3,
          unknownUnits: 0,
          staleUnits: 0,
          percent: null,
          tone: 'good',
          text: 'quota',
          parts: [],
          ...window,
        },
      ],
    }
  })
  return place
}

it('lists what adds up to each number of a window, with a link to each account', () => {
  showPool([anEntry('ana'), anEntry('bob'), [anAccount('cyd'), null]])
  const place = drawParts({
    knownUnits: 1.4,
    unknownUnits: 1,
    staleUnits: 0.6,
    parts: [
      part('ana', 'usable', 0.8),
      part('bob', 'usable', 0.6, true),
      part('cyd', 'unknown', 1),
    ],
  })

  expect(wordsOfEach(place, 'tr')).toEqual([
    'Usable: 2 accounts 1.4',
    'ana@example.com Plus 0.8',
    'bob@example.com Plus stale 0.6',
    'Unknown, not read yet: 1 account 1.0',
    'cyd@example.com Plus 1.0',
  ])
  expect(place.querySelector('tbody a')?.getAttribute('href')).toBe('#accounts/index-ana')
  click(place.querySelector('tbody a'))
  expect(openParts.value).toBeNull()
})

it('sums up parts that are almost empty, or more than a thousand units, to the number that was clicked', () => {
  const place = drawParts({
    knownUnits: 1_236.1,
    usableUnits: 1_234.54,
    heldUnits: 1.56,
    unknownUnits: 0.04,
    parts: [
      part('ana', 'usable', 1_234.5),
      part('bob', 'usable', 0.04),
      part('cyd', 'held', 1.5),
      part('dan', 'held', 0.01),
      part('eve', 'unknown', 0.04),
    ],
  })

  expect(wordsOfEach(place, '.sum .number')).toEqual(['1,234.5', '1.6', '<0.1'])
})

it('closes if the number was of a provider that is no longer chosen', () => {
  let isClosed = false
  const onClose = () => {
    isClosed = true
  }
  draw(h(QuotaParts, { onClose }))
  expect(isClosed).toBe(false)
  change(() => {
    openParts.value = '5h'
    quotaParts.value = { provider: 'xai', sampledAt: null, windows: [] }
  })

  expect(isClosed).toBe(true)
})
