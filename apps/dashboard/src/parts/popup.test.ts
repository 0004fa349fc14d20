import { h } from 'preact'
import { describe, expect, it, vi } from 'vitest'
import { dispatch } from '../testing/browser.ts'
import { change, click, draw } from '../testing/page.ts'
import { Popup, PopupItem } from './popup.tsx'

const run = vi.fn()
const drawn = () => {
  const place = draw(
    h(Popup, { name: 'More', icon: 'more', children: h(PopupItem, { run, children: 'Go' }) }),
  )
  const box = place.querySelector('details')
  change(() => {
    if (box !== null) box.open = true
  })
  return { place, box }
}

describe('a box under its button', () => {
  it('closes at Escape, gives the focus back and closes nothing behind it', () => {
    const { place, box } = drawn()
    const onKeyDown = vi.fn()
    addEventListener('keydown', onKeyDown)
    change(() => void dispatch(place.querySelector('.popup button'), 'keydown', { key: 'Escape' }))
    removeEventListener('keydown', onKeyDown)

    expect(box?.open).toBe(false)
    expect(document.activeElement).toBe(place.querySelector('summary'))
    expect(onKeyDown).not.toHaveBeenCalled()
  })

  it('closes once the focus is on something else, and not while nothing has it', () => {
    const { place, box } = drawn()
    const button = place.querySelector('.popup button')
    for (const [relatedTarget, isOpen] of [
      [place.querySelector('summary'), true],
      [null, true],
      [document.body, false],
    ] as const) {
      change(() => void dispatch(button, 'focusout', { relatedTarget }))
      expect([relatedTarget?.localName, box?.open]).toEqual([relatedTarget?.localName, isOpen])
    }
  })

  it('closes and gives the focus back before it does what was chosen', () => {
    const { place, box } = drawn()
    let focused: unknown
    run.mockImplementationOnce(() => {
      focused = document.activeElement
    })
    click(place.querySelector('.popup button'))

    expect(focused).toBe(place.querySelector('summary'))
    expect([box?.open, run.mock.calls.length]).toEqual([false, 1])
  })
})
