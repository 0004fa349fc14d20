import { describe, expect, it } from 'vitest'
import { errorPlace } from './error-place.ts'

const withStack = (error: Error, stack: string | undefined): Error =>
  Object.defineProperty(error, 'stack', { value: stack })

describe('the place of an error', () => {
  it.each([
    {
      what: 'a frame of a function',
      stack: 'Error: x\n    at read (/home/ana/app/main.js:10:5)\n    at next (/b.js:1:1)',
      expected: 'Error at main.js:10:5',
    },
    {
      what: 'a frame without a function',
      stack: 'Error: x\n    at file:///srv/app/store-writer.js:7:13',
      expected: 'Error at store-writer.js:7:13',
    },
    { what: 'no frames', stack: 'Error: x', expected: 'Error' },
    { what: 'no stack', stack: undefined, expected: 'Error' },
  ])('is the file of $what, without its folder', ({ stack, expected }) => {
    expect(errorPlace(withStack(new Error('x'), stack))).toBe(expected)
  })

  it('says the code where there is one, else the name', () => {
    const coded = Object.assign(new Error('x'), { code: 'ENOSPC' })

    expect(errorPlace(withStack(coded, ''))).toBe('ENOSPC')
    expect(errorPlace(withStack(new TypeError('x'), ''))).toBe('TypeError')
    expect(errorPlace(withStack(Object.assign(new Error('x'), { code: 5 }), ''))).toBe('Error')
  })

  it.each([
    { what: 'one that quotes a key', message: 'sk-secret-token' },
    { what: 'one that reads as a frame', message: 'x\n    at sk-secret-token:1:1\n' },
    { what: 'one with several lines', message: 'first\nsk-secret-token\nlast' },
  ])('never shows the message: $what', ({ message }) => {
    expect(errorPlace(new Error(message))).toMatch(/^Error at error-place\.test\.ts:\d+:\d+$/)
  })

  it.each([null, 'sk-secret-token', { message: 'sk-secret-token' }])(
    'says nothing of what is not an error: %j',
    (thrown) => {
      expect(errorPlace(thrown)).toBe('unknown')
    },
  )
})
