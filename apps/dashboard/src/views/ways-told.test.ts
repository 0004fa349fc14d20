import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, expect, it } from 'vitest'
import { kiosk } from '../state/display-state.ts'
import { clearPage, click, draw, elementsOf, wordsOfEach } from '../testing/page.ts'
import { WaysTold } from './ways-told.tsx'

afterEach(() => {
  clearPage()
  kiosk.value = ''
  location.hash = ''
})

it('every way says what to do, with its commands', () => {
  const place = draw(h(WaysTold, {}))

  expect(wordsOfEach(place, 'h3')).toHaveLength(4)
  expect(wordsOfEach(place, '.command code')).toEqual([
    'svc-quota-monitor init prometheus',
    'svc-quota-monitor init rules',
    'svc-quota-monitor init alertmanager',
    'svc-quota-monitor doctor',
  ])
})

it('the wall is opened from here, and Back ends it', () => {
  location.hash = '#health'
  const place = draw(h(WaysTold, {}))
  click(elementsOf(place, 'li > button')[0])

  expect([kiosk.value, location.hash]).toEqual(['rotate', '#overview?kiosk=rotate'])
  history.go(-1)
  expect([kiosk.value, location.hash]).toEqual(['', '#health'])
})
