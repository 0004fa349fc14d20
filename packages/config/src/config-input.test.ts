import { describe, expect, it } from 'vitest'
import { ConfigError, type ConfigProblem, shownRaw } from './config-input.ts'

describe('a value in a message', () => {
  it.each([
    { raw: 'loud', shown: '"loud"' },
    { raw: 'two\nlines', shown: '"two\\nlines"' },
    { raw: 1.5, shown: '1.5' },
    { raw: false, shown: 'false' },
    { raw: ['a', 1], shown: '["a",1]' },
    // TOML has infinities, JSON does not.
    { raw: Number.POSITIVE_INFINITY, shown: 'Infinity' },
    { raw: Number.NaN, shown: 'NaN' },
  ])('is $shown', ({ raw, shown }) => {
    expect(shownRaw(raw)).toBe(shown)
  })

  it.each([
    { letters: 62, isCut: false },
    { letters: 63, isCut: true },
    { letters: 5000, isCut: true },
  ])('of $letters letters and two quotes is cut: $isCut', ({ letters, isCut }) => {
    const shown = shownRaw('x'.repeat(letters))

    expect(shown.endsWith('…')).toBe(isCut)
    expect(shown.length).toBeLessThanOrEqual(65)
  })
})

const problem = (message: string, code: ConfigProblem['code'] = 'invalid_value') => ({
  code,
  message,
})

describe('an error of the configuration', () => {
  it('of one mistake is that mistake', () => {
    const error = new ConfigError(problem('port is wrong', 'conflict'))

    expect({ message: error.message, code: error.code }).toEqual({
      message: 'port is wrong',
      code: 'conflict',
    })
  })

  it('of several is the first, counts the others, and keeps all of them', () => {
    const all = [problem('a', 'missing_file'), problem('b'), problem('c')] as const
    const error = new ConfigError(...all)

    expect(error.message).toBe('a (and 2 more; doctor lists all of them)')
    expect(error.code).toBe('missing_file')
    expect(error.problems).toEqual(all)
  })

  it('is one line, and no terminal obeys it, whatever a path or a name holds', () => {
    const { message, problems } = new ConfigError(problem('a\r\n\tb'), problem('c\u001b[2Jd\u0085'))

    expect(message).toBe('a b (and 1 more; doctor lists all of them)')
    expect(problems[1]?.message).toBe('c [2Jd ')
  })
})
