import { describe, expect, it } from 'vitest'
import { createPseudonyms } from '../pseudonyms.ts'
import { isHarmless, isOption, isPlainValue } from './harmless.ts'

const pseudonym = createPseudonyms({ keepMap: false }).of('secret', 'Kelp-9182xx')

describe('a value gives nothing away', () => {
  it.each([
    { what: 'that is empty', value: '' },
    { what: 'that is blank', value: ' \t ' },
    { what: 'that is a word of state', value: 'missing' },
    { what: 'in capitals', value: 'REDACTED' },
    { what: 'with a sign behind it', value: 'expired.' },
    { what: 'with several signs behind it', value: 'not set!?)' },
    { what: 'of stars', value: '********' },
    { what: 'of points', value: '••••' },
    { what: 'of x', value: 'xxxx-xxxx' },
    { what: 'that was replaced', value: pseudonym },
    { what: 'that was replaced behind a scheme', value: `Bearer ${pseudonym}` },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of a shell.
    { what: 'that names a variable in braces', value: '${API_TOKEN}' },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of a workflow.
    { what: 'that names a member', value: '${env.API_TOKEN}' },
    { what: 'that names a variable', value: '$API_TOKEN' },
    { what: 'of a template', value: '{{ .Values.token }}' },
    { what: 'of a format', value: '%s' },
    { what: 'of a placeholder', value: '<your api key>' },
    { what: 'that the program reads', value: 'process.env.TOKEN' },
    { what: 'that is in a file', value: '$(cat /run/secrets/token)' },
    { what: 'that is in a file, at the end of a sentence', value: '$(cat /run/secrets/token).' },
  ])('$what', ({ value }) => {
    expect(isHarmless(value)).toBe(true)
    expect(isPlainValue(value)).toBe(true)
  })

  it.each([
    { what: 'a word that is not one of state', value: 'kelp' },
    { what: 'a word of state with more behind it', value: 'missing-9182' },
    { what: 'two words of state', value: 'true false' },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of a shell.
    { what: 'a variable with a default', value: '${TOKEN:-Kelp 9182}' },
    { what: 'a variable with more behind it', value: '$TOKEN-Kelp9182' },
    { what: 'a password with a dollar sign', value: '$kelp9182' },
    { what: 'a placeholder with digits', value: '<kelp9182>' },
    { what: 'stars with a letter', value: '*****lp' },
    { what: 'sixty-five stars', value: '*'.repeat(65) },
    { what: 'a pseudonym with more behind it', value: `${pseudonym}Kelp` },
  ])('but not $what', ({ value }) => {
    expect(isHarmless(value)).toBe(false)
  })
})

describe('a value under a name that may be harmless is plain', () => {
  it.each([
    '0',
    '-12',
    '12.5',
    '1,204',
    '99%',
    '12.4M tok',
    '1,204 req',
    '~3 MB',
    '2026-11-21',
    '2026-11-21T17:31:00Z',
    '123456789012345',
  ])('as %s is', (value) => {
    expect(isPlainValue(value)).toBe(true)
    expect(isHarmless(value)).toBe(false)
  })

  it.each(['1234567890123456', '12a34b56', '12.5.7-x', '21.11.2026 kelp!', 'kelp 12'])(
    'as %s is not',
    (value) => {
      expect(isPlainValue(value)).toBe(false)
    },
  )
})

describe('what stands behind a flag', () => {
  it.each(['-v', '--fast', '--log-level=debug', '-verbose', '-no-color'])(
    'is another one: %s',
    (value) => {
      expect(isOption(value)).toBe(true)
    },
  )

  it.each(['-pA9cnU33AXL#A', '-', '--', '-xkq9', '--Kelp9', 'fast', '-9182'])(
    'is its value: %s',
    (value) => {
      expect(isOption(value)).toBe(false)
    },
  )
})
