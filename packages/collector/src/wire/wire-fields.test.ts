import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import {
  displayText,
  instantFrom,
  isRecord,
  isRefusedRefresh,
  numberFrom,
  parseGoDuration,
  wireArray,
  wireFlag,
  wireInstant,
  wireNumber,
  wireText,
} from './wire-fields.ts'

it.each<{ value: unknown; number: number | null }>([
  { value: 0, number: 0 },
  { value: -1.5, number: -1.5 },
  { value: '7', number: 7 },
  { value: ' 7.25 ', number: 7.25 },
  { value: '1e3', number: 1000 },
  { value: '', number: null },
  { value: ' ', number: null },
  { value: '0x10', number: null },
  { value: '7 percent', number: null },
  { value: '1e999', number: null },
  { value: 'Infinity', number: null },
  { value: Number.NaN, number: null },
  { value: Number.POSITIVE_INFINITY, number: null },
  { value: true, number: null },
  { value: [7], number: null },
  { value: null, number: null },
])('$value read as a number is $number', ({ value, number }) => {
  expect(numberFrom(value)).toBe(number)
})

const NOON = Date.parse('2026-11-20T12:00:00Z')

it.each<{ why: string; value: unknown; instant: number | null }>([
  { why: 'RFC 3339', value: '2026-11-20T12:00:00Z', instant: NOON },
  { why: 'with an offset', value: '2026-11-20T13:00:00+01:00', instant: NOON },
  { why: 'without an offset', value: '2026-11-20T12:00:00', instant: null },
  { why: 'seconds', value: NOON / 1000, instant: NOON },
  { why: 'milliseconds', value: NOON, instant: NOON },
  { why: 'seconds as text', value: String(NOON / 1000), instant: NOON },
  { why: 'Go’s zero time', value: '0001-01-01T00:00:00Z', instant: null },
  { why: 'the beginning of 1970', value: 0, instant: null },
  { why: 'the last moment of 2019', value: '2019-12-31T23:59:59Z', instant: null },
  { why: 'the first of 2020', value: '2020-01-01T00:00:00Z', instant: 1_577_836_800_000 },
  { why: 'the first of 2100', value: '2100-01-01T00:00:00Z', instant: null },
  { why: 'text', value: 'soon', instant: null },
  { why: 'an object', value: {}, instant: null },
])('an instant, $why: $instant', ({ value, instant }) => {
  expect(instantFrom(value)).toBe(instant)
})

describe('fields of an object', () => {
  const schema = v.object({
    text: wireText,
    number: wireNumber,
    flag: wireFlag,
    at: wireInstant,
    list: wireArray,
  })
  const none = { text: null, number: null, flag: null, at: null, list: null }

  it.each<{ why: string; wire: object }>([
    { why: 'are missing', wire: {} },
    { why: 'are null', wire: none },
    { why: 'are of the wrong type', wire: { text: 1, number: {}, flag: 'yes', at: [], list: {} } },
    { why: 'are blank', wire: { text: ' \n', number: '', flag: '', at: '', list: '' } },
  ])('that $why are null, and fail nothing', ({ wire }) => {
    expect(v.parse(schema, wire)).toEqual(none)
  })

  it('are read as they are meant', () => {
    const wire = { text: ' a ', number: '5', flag: 'false', at: NOON / 1000, list: [1], more: 1 }

    expect(v.parse(schema, wire)).toEqual({
      text: ' a ',
      number: 5,
      flag: false,
      at: NOON,
      list: [1],
    })
  })
})

it.each<{ wire: unknown; record: boolean }>([
  { wire: {}, record: true },
  { wire: [], record: false },
  { wire: null, record: false },
  { wire: 'text', record: false },
])('$wire is a record: $record', ({ wire, record }) => {
  expect(isRecord(wire)).toBe(record)
})

it.each([
  { what: 'text that is fit already', text: 'Team A', shown: 'Team A' },
  { what: 'letters and signs of any script', text: 'Zoë 東京 🦊', shown: 'Zoë 東京 🦊' },
  { what: 'space around it', text: '  plus\t', shown: 'plus' },
  { what: 'line breaks', text: 'a\r\nb\u2028c', shown: 'abc' },
  { what: 'a terminal sequence', text: '\u001b[31mred', shown: '[31mred' },
  { what: 'a mark that turns the direction', text: 'a\u202egnp.exe', shown: 'agnp.exe' },
  { what: 'half a character', text: 'a\ud83e', shown: 'a\ufffd' },
  { what: 'nothing that can be seen', text: '\u0000 \u200f', shown: '' },
])('$what becomes "$shown"', ({ text, shown }) => {
  expect(displayText(text, 120)).toBe(shown)
})

it('text of the longest length stays whole, and one more character goes', () => {
  expect([displayText('x'.repeat(120), 120), displayText('x'.repeat(121), 120)]).toEqual([
    'x'.repeat(120),
    'x'.repeat(120),
  ])
})

it('a character that the limit cuts in half is marked', () => {
  expect(displayText('ab🦊', 3)).toBe('ab\ufffd')
})

it('what is shown is one line, well-formed, within its length, and stays as it is when shown again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, lengthMax) => {
      const shown = displayText(text, lengthMax)
      expect(shown.length).toBeLessThanOrEqual(lengthMax)
      expect(/[\p{Cc}\u2028\u2029]/u.test(shown)).toBe(false)
      expect(/\p{Surrogate}/u.test(shown)).toBe(false)
      expect(displayText(shown, lengthMax)).toBe(shown)
    }),
  )
})

describe('parseGoDuration', () => {
  it.each([
    ['29m59s', 1799],
    ['30m0s', 1800],
    ['1h2m3s', 3723],
    ['12m3.5s', 723.5],
    ['850ms', 0.85],
    ['0s', 0],
    ['5µs', 5e-6],
    ['7ns', 7e-9],
  ])('%s is %d seconds', (text, seconds) => {
    expect(parseGoDuration(text)).toBeCloseTo(seconds, 9)
  })

  it.each(['', 's', '12', '-3m', '1d', '1m 2s', `${'9'.repeat(13)}h`])(
    '%s is no duration',
    (text) => {
      expect(parseGoDuration(text)).toBeNull()
    },
  )
})

it.each<{ body: unknown; refused: boolean }>([
  { body: { error: 'auth token refresh failed' }, refused: true },
  { body: { error: 'auth token refresh failed: status 400' }, refused: true },
  { body: 'auth token refresh failed', refused: true },
  { body: { error: 'auth token not found' }, refused: false },
  { body: { error: { message: 'auth token refresh failed' } }, refused: false },
  { body: { error: 'no auth token refresh failed' }, refused: false },
  { body: { status_code: 401, body: '' }, refused: false },
  { body: [], refused: false },
  { body: null, refused: false },
])('$body is a refused refresh: $refused', ({ body, refused }) => {
  expect(isRefusedRefresh(body)).toBe(refused)
})
