import { h } from 'preact'
import { describe, expect, it, vi } from 'vitest'
import { dispatch } from '../testing/browser.ts'
import { change, clearPage, click, draw, wordsOf } from '../testing/page.ts'
import { Sheet } from './sheet.tsx'

const drawn = () => {
  const onClose = vi.fn()
  const dialog = draw(h(Sheet, { title: 'Words', onClose, children: 'Text' })).querySelector(
    'dialog',
  )
  return { dialog, onClose }
}

describe('a sheet', () => {
  it('is open over the page as soon as it is drawn, under its title', () => {
    const { dialog, onClose } = drawn()

    expect([dialog?.open, dialog?.getAttribute('aria-label')]).toEqual([true, 'Words'])
    expect(wordsOf(dialog)).toBe('Words Text')
    expect(onClose).not.toHaveBeenCalled()
  })

  it('closes with its button', () => {
    const { dialog, onClose } = drawn()
    click(dialog?.querySelector('button'))

    // Once by the button, and once as the dialog says it of itself.
    expect([dialog?.open, onClose.mock.calls.length]).toEqual([false, 2])
  })

  it('is closed before it goes, so that the browser gives the focus back, and then says nothing', () => {
    const { dialog, onClose } = drawn()
    clearPage()

    expect([dialog?.open, onClose.mock.calls.length]).toEqual([false, 0])
  })

  it('says that the browser has closed it, as at Escape', () => {
    const { dialog, onClose } = drawn()
    change(() => void dispatch(dialog, 'close'))

    expect(onClose).toHaveBeenCalledTimes(1)
  })
})
