import '../testing/browser.ts'
import { anAccount } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, expect, it } from 'vitest'
import { openParts } from '../state/display-state.ts'
import { anEntry, change, clearPage, click, draw, showPool, wordsOfEach } from '../testing/page.ts'
import { QuotaParts, quotaParts } from './quota-parts.tsx'

afterEach(() => {
  clearPage()
  openParts.value = null
})

it('lists what adds up to each number of a window, with a link to each account', () => {
  showPool([anEntry('ana'), anEntry('bob'), [anAccount('cyd'), null]])
  const part = (name: string, state: 'usable' | 'unknown', units: number, stale = false) => ({
    accountKey: `key-${name}`,
    title: `${name}@example.com`,
    badge: 'Plus',
    state,
    stale,
    units,
    text: units.toFixed(1),
  })
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
          knownUnits: 1.4,
          trackedUnits: 3,
          unknownUnits: 1,
          staleUnits: 0.6,
          percent: null,
          tone: 'good',
          text: '1.4 of 3 Plus left, 1.0 unknown',
          parts: [
            part('ana', 'usable', 0.8),
            part('bob', 'usable', 0.6, true),
            part('cyd', 'unknown', 1),
          ],
        },
      ],
    }
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
