import { fromNow } from '@svc/core/testing'
import { h } from 'preact'
import { expect, it } from 'vitest'
import { kiosk } from '../state/display-state.ts'
import { anEntry, click, draw, elementsOf, showPool, wordsOfEach } from '../testing/page.ts'
import { NotifierList } from './health.tsx'

it('every way says what to do, with its commands', () => {
  const place = draw(h(NotifierList, {}))

  expect(wordsOfEach(place, 'h3')).toHaveLength(5)
  expect(wordsOfEach(place, '.command code')).toEqual([
    'svc-quota-monitor notify --test',
    'svc-quota-monitor init prometheus',
    'svc-quota-monitor init rules',
    'svc-quota-monitor init alertmanager',
    'svc-quota-monitor doctor',
  ])
})

it('the wall is opened from here, and Back ends it', () => {
  location.hash = '#health'
  const place = draw(h(NotifierList, {}))
  click(elementsOf(place, 'li > button')[0])

  expect([kiosk.value, location.hash]).toEqual(['rotate', '#overview?kiosk=rotate'])
  history.go(-1)
  expect([kiosk.value, location.hash]).toEqual(['', '#health'])
})

it('who is told by messages comes first, with what has become of them', () => {
  const untried = {
    name: 'phone',
    kind: 'ntfy',
    sentCount: 0,
    lostCount: 0,
    waitingCount: 0,
    lastSentAt: null,
    failure: null,
    isFailing: false,
  } as const
  const failure = { code: 'refused', since: fromNow(-60) } as const
  const failing = { ...untried, name: 'team', kind: 'slack', sentCount: 1_204, failure } as const
  showPool([anEntry('ana')], { observed: { notify: [untried, failing] } })

  expect(wordsOfEach(draw(h(NotifierList, {})), '.targets tr')).toEqual([
    'phone ntfy 0 sent Nothing has been sent yet.',
    'team slack 1,204 sent The receiver refused the message. It has failed since 19:59. Nothing has been sent yet.',
  ])
})

it('without targets nobody is listed', () => {
  showPool([anEntry('ana')])

  expect(draw(h(NotifierList, {})).querySelector('.targets')).toBeNull()
})
