import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { clearPage, click, draw } from '../testing/page.ts'
import { PickBox } from './pick-box.tsx'

afterEach(clearPage)

describe('a box that picks a row', () => {
  it('is turned by its page, not by the press: a row that stays picked keeps its box', () => {
    const pressed: boolean[] = []
    const place = draw(
      h(PickBox, {
        name: 'Select ana',
        isPicked: true,
        onPick: ({ shiftKey }) => void pressed.push(shiftKey),
      }),
    )
    const box = place.querySelector('input')
    // Browsers change the box before any listener runs.
    Object.assign(box ?? {}, { checked: false })
    click(box)

    expect(pressed).toHaveLength(1)
    expect(box).toMatchObject({ checked: true })
  })

  it.each([
    { isReached: true, tabindex: null },
    { isReached: false, tabindex: '-1' },
  ])('is a stop for the keyboard where nothing else picks its row: $isReached', (row) => {
    const { isReached, tabindex } = row
    const place = draw(
      h(PickBox, { name: 'Select ana', isPicked: false, isReached, onPick: () => undefined }),
    )

    expect(place.querySelector('input')?.getAttribute('tabindex')).toBe(tabindex)
  })
})
