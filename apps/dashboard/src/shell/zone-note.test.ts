import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dismissedZones } from '../state/display-state.ts'
import { status } from '../state/live-data.ts'
import { anEntry, change, clearPage, click, draw, showPool, wordsOf } from '../testing/page.ts'
import { ZoneNote } from './zone-note.tsx'

/** A browser in this zone; the service is in Shanghai. */
function beIn(timeZone: string): void {
  const options = new Intl.DateTimeFormat().resolvedOptions()
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({
    ...options,
    timeZone,
  })
}

const note = () => draw(h(ZoneNote, {}))

beforeEach(() => showPool([anEntry('ana')]))
afterEach(() => {
  clearPage()
  vi.restoreAllMocks()
  dismissedZones.value = ''
})

describe('the note about the zone of the times', () => {
  it.each([
    { here: 'UTC', clock: '8h 00min behind' },
    { here: 'Asia/Tokyo', clock: '1h 00min ahead' },
    { here: 'Asia/Kolkata', clock: '2h 30min behind' },
  ])('says in $here whose they are, and what to set', ({ here, clock }) => {
    beIn(here)

    expect(wordsOf(note())).toBe(
      `Times are those of Asia/Shanghai (UTC+08:00). This browser's clock is ${clock}; to have its time here, set display_timezone = "${here}" Dismiss`,
    )
  })

  it.each([{ here: 'Asia/Shanghai' }, { here: 'Asia/Singapore' }])(
    'is not there in $here, where the clock shows the same',
    ({ here }) => {
      beIn(here)

      expect(wordsOf(note())).toBe('')
    },
  )

  it('is not there before the zone of the service is known', () => {
    beIn('UTC')
    const place = note()
    change(() => {
      status.value = null
    })

    expect(wordsOf(place)).toBe('')
  })

  it('stays away once somebody has taken note of it, until one of the zones is another', () => {
    beIn('UTC')
    const place = note()
    click(place.querySelector('button'))
    expect(wordsOf(place)).toBe('')

    beIn('Europe/Prague')
    expect(wordsOf(note())).toContain('7h 00min behind')
  })
})
