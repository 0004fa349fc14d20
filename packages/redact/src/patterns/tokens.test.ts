import { describe, expect, it } from 'vitest'
import { createRandom } from '../testing/random.ts'
import { isJoinedWords, isRandomText, readsLikeWords } from './tokens.ts'

const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const CAPITALS = SMALL.toUpperCase()
const DIGITS = '0123456789'
const HEX = '0123456789abcdef'
const MIXED = SMALL + CAPITALS + DIGITS
const DRAWS = 2_000

describe('a drawn text is told from a written one', () => {
  // Of short ones a few read like names. The expectation is what may be missed of 2,000.
  it.each([
    { what: '20 small letters and digits', alphabet: SMALL + DIGITS, length: 20, missed: 2 },
    { what: '20 mixed letters and digits', alphabet: MIXED, length: 20, missed: 2 },
    { what: '18 mixed letters and digits', alphabet: MIXED, length: 18, missed: 100 },
    { what: '20 signs of Base64 for URLs', alphabet: `${MIXED}-_`, length: 20, missed: 20 },
    { what: '24 small letters', alphabet: SMALL, length: 24, missed: 20 },
    { what: '24 capitals', alphabet: CAPITALS, length: 24, missed: 20 },
    { what: '24 mixed letters', alphabet: SMALL + CAPITALS, length: 24, missed: 2 },
    { what: '32 signs of Base32', alphabet: `${CAPITALS}234567`, length: 32, missed: 0 },
    { what: '20 hexadecimal digits', alphabet: HEX, length: 20, missed: 0 },
    { what: '40 hexadecimal capitals', alphabet: HEX.toUpperCase(), length: 40, missed: 0 },
    { what: '20 digits', alphabet: DIGITS, length: 20, missed: 0 },
  ])('$what are taken for random', ({ alphabet, length, missed }) => {
    const random = createRandom(length)
    const left = Array.from({ length: DRAWS }, () => random.text(alphabet, length)).filter(
      (text) => !isRandomText(text),
    )

    expect(left.length, left.slice(0, 5).join(' ')).toBeLessThanOrEqual(missed)
  })

  it('however long it is', () => {
    const random = createRandom(9)
    for (const length of [100, 1_000, 4_096, 4_097, 100_000])
      expect(isRandomText(random.text(MIXED, length))).toBe(true)
  })

  it.each([
    { what: 'an identifier in camel case', text: 'createQuotaSnapshotEvaluationPipeline' },
    { what: 'a name in snake case', text: 'svc_quota_monitor_capacity_seconds' },
    { what: 'a constant', text: 'SVC_QUOTA_MONITOR_WEEKLY_MULTIPLIER' },
    { what: 'a class of a style sheet', text: 'a-rather-long-name-of-a-css-class' },
    { what: 'a long word', text: 'incomprehensibilities' },
    { what: 'a word of German', text: 'Donaudampfschifffahrtsgesellschaft' },
    { what: 'a date and a time', text: '2026-11-21-17-31-00-124567' },
    { what: 'a name with a short hash', text: 'codex-1a2b3c4d-evaluation' },
    { what: 'a name with a number', text: 'snapshot-2026-evaluation' },
    { what: 'a ruler', text: '-=-=-=-=-=-=-=-=-=-=-=-=' },
    { what: 'one digit repeated', text: '00000000000000000000' },
    { what: 'two hexadecimal digits repeated', text: 'abababababababababababab' },
    { what: 'a row of x', text: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' },
  ])('$what is not', ({ text }) => {
    expect(isRandomText(text)).toBe(false)
  })
})

describe('a text is too short to tell', () => {
  const drawn = 'Zx81Kq0PlmWn72VbTy5Rc3'

  it.each([
    { length: 17, isRandom: false },
    { length: 18, isRandom: true },
  ])('mixed, of $length characters: $isRandom is the answer', ({ length, isRandom }) => {
    expect(isRandomText(drawn.slice(0, length))).toBe(isRandom)
  })

  it.each([
    { length: 19, isRandom: false },
    { length: 20, isRandom: true },
  ])('without capitals, of $length characters: $isRandom is the answer', ({ length, isRandom }) => {
    expect(isRandomText(drawn.toLowerCase().slice(0, length))).toBe(isRandom)
    expect(isRandomText('3f786850e387550fdab8'.slice(0, length))).toBe(isRandom)
    expect(isRandomText('48392057184630295716'.slice(0, length))).toBe(isRandom)
  })

  it('unless what was left out of it counts as well', () => {
    expect(isRandomText(drawn.slice(0, 17), 18)).toBe(true)
  })
})

describe('joined words', () => {
  it.each([
    'evaluate-health',
    'evaluateHealth-Of_accounts',
    'SVC_QUOTA_MONITOR',
    'v20-1-0',
    'utf8=true',
    'codex-1a2b3c4d-ana',
    'client-9f2c41ab',
    '20261121-173100',
    'a1-b2-c3',
    '',
  ])('are read in %s', (text) => {
    expect(isJoinedWords(text)).toBe(true)
  })

  it.each([
    { text: 'kQ9x2LmP-t7Rw4ZyN', why: 'letters and digits take turns' },
    { text: 'evaluate.health', why: 'a dot joins no words' },
    { text: 'abcdefghijklmnopqrst', why: 'a word of one case has 15 letters at most' },
    { text: '0123456789abcdef0', why: 'an identifier has 16 digits at most' },
    { text: 'XqZvKwjQ-zqxjvkwp', why: 'the letters are no syllables' },
    { text: 'ab-'.repeat(54), why: 'it has more than 160 characters' },
  ])('are not read in $text, because $why', ({ text }) => {
    expect(isJoinedWords(text)).toBe(false)
  })
})

it.each([
  { text: 'evaluation', isWords: true },
  { text: 'monitoring', isWords: true },
  { text: 'interpretation', isWords: true },
  { text: 'qzxvkwjq', isWords: false },
  { text: 'bxqvzkjp', isWords: false },
  { text: 'wgkrxzcb', isWords: false },
])('$text reads like words: $isWords', ({ text, isWords }) => {
  expect(readsLikeWords(text)).toBe(isWords)
})
