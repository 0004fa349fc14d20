import { describe, expect, it } from 'vitest'
import { createScreen } from './screen.mjs'

function written(options: { readonly isTTY?: boolean; readonly columns?: number }) {
  let text = ''
  const screen = createScreen({
    ...options,
    write(part: string) {
      text += part
    },
  })
  return { screen, text: () => text.replace(/\d+ s/g, 'N s') }
}

describe('the screen', () => {
  it('gives a pipe each phase as one plain line when it has ended', () => {
    const { screen, text } = written({})
    const build = screen.begin('Building')
    const tests = screen.begin('Testing')
    tests.note('12 tests')
    expect(text()).toBe('')
    tests.done()
    build.failed()
    screen.line('\u001b[31mthe reason\u001b[39m')

    expect(text()).toBe('Testing … 12 tests, N s\nBuilding … failed\nthe reason\n')
  })

  it('shows on a terminal what runs, in one line that is drawn over', () => {
    const { screen, text } = written({ isTTY: true, columns: 0 })
    const build = screen.begin('Building')
    const tests = screen.begin('Testing')
    build.done()
    tests.done()

    expect(text().split('\r\u001b[K')).toEqual([
      '',
      'Building … N s',
      'Building … N s   Testing … N s',
      'Building … N s\n',
      'Testing … N s',
      'Testing … N s\n',
    ])
  })

  it('keeps that line within the terminal', () => {
    const { screen, text } = written({ isTTY: true, columns: 20 })
    screen.begin('A phase with a very long name').drop()

    expect(text()).toBe('\r\u001b[KA phase with a very\r\u001b[K')
  })

  it('says nothing more of a phase that is dropped', () => {
    const { screen, text } = written({})
    screen.begin('Fetching').drop()

    expect(text()).toBe('')
  })
})
