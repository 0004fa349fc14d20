import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { click, draw, wordsOf } from '../testing/page.ts'
import { CopyButton } from './copy.tsx'

let written: string[] = []

/** A browser with or without a clipboard (plain HTTP has none); `copies`: whether it can copy the selection. */
function useBrowser({ clipboard, copies }: { clipboard: boolean; copies: boolean }) {
  const writeText = async (text: string) => void written.push(text)
  Object.defineProperty(globalThis, 'navigator', {
    configurable: true,
    value: clipboard ? { clipboard: { writeText } } : {},
  })
  document.execCommand = () => copies
}

afterEach(() => {
  written = []
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: {} })
})

describe('a button that copies', () => {
  it.each([
    { where: 'with a clipboard', clipboard: true, copies: false, says: 'Copied' },
    { where: 'without one, from a field', clipboard: false, copies: true, says: 'Copied' },
    { where: 'where neither can be had', clipboard: false, copies: false, says: 'Not copied' },
  ])('says what became of it: $where', async ({ clipboard, copies, says }) => {
    useBrowser({ clipboard, copies })
    const place = draw(h(CopyButton, { name: 'Copy name', text: () => 'ana@example.com' }))
    expect(wordsOf(place)).toBe('Copy name')
    click(place.querySelector('button'))

    await expect.poll(() => wordsOf(place)).toBe(says)
    expect(written).toEqual(clipboard ? ['ana@example.com'] : [])
    expect(document.querySelectorAll('textarea')).toHaveLength(0)
  })
})
