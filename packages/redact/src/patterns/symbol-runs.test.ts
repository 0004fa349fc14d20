import { describe, expect, it } from 'vitest'
import { createRandom } from '../testing/random.ts'
import { redactText } from '../testing/redact-text.ts'
import { surroundings } from '../testing/surroundings.ts'
import { textsOf } from '../testing/texts-of.ts'
import { SIGNS } from './pair-surprise.ts'
import { symbolRunsIn } from './symbol-runs.ts'

const random = createRandom(20)
const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

it.each([
  ['24 letters, digits and signs above them', 24, '!@#$%^&*'],
  ['24 letters, digits and common signs', 24, '!@#$%^&*()-_=+'],
  ['32 of everything that is printed but quotes', 32, '!#$%&()*+,-./:;<=>?@[]^_{|}~'],
  ['24 letters, digits and dots', 24, '.'],
])('random text of %s does not stay, 2,000 times', (_, length, signs) => {
  const left: string[] = []
  for (let index = 0; index < 2_000; index += 1) {
    const token = random.text(LETTERS_AND_DIGITS + signs, length)
    const text = surroundings[index % surroundings.length]?.(token) ?? token
    const out = redactText(text)
    if (
      Array.from({ length: length - 11 }, (_each, at) => token.slice(at, at + 12)).some((part) =>
        out.includes(part),
      )
    )
      left.push(`${text} -> ${out}`)
  }

  expect(left.slice(0, 5)).toEqual([])
})

describe('a run with symbols', () => {
  const drawn = 'k7$Qm!x2^Vb9@Zr4&Lt8*Wp'
  const found = (text: string) => textsOf(text, symbolRunsIn(text))

  it.each([
    { what: 'alone', text: drawn },
    { what: 'among words', text: `found ${drawn} here` },
    { what: 'in quotes', text: `"${drawn}"` },
    { what: 'behind the name of a setting', text: `mysetting=${drawn}` },
    { what: 'between backslashes', text: `\\${drawn}\\` },
  ])('$what is found whole and alone', ({ text }) => {
    expect(found(text)).toEqual([drawn])
  })

  it('is a secret by its shape, with its text as its value', () => {
    expect(symbolRunsIn(`x ${drawn}`)).toEqual([
      { start: 2, end: drawn.length + 2, kind: 'secret', value: drawn, certainty: 'shape' },
    ])
  })

  it.each([
    { length: 19, count: 0 },
    { length: 20, count: 1 },
  ])('of $length characters is found $count times', ({ length, count }) => {
    expect(found(drawn.slice(0, length))).toHaveLength(count)
  })

  it('of any length is found from its beginning to its end', () => {
    for (const length of [511, 512, 513, 532, 3_000]) {
      const text = random.text(LETTERS_AND_DIGITS + SIGNS, length)
      const covered = symbolRunsIn(text).reduce((sum, { start, end }) => sum + end - start, 0)

      // What is left behind the last 512 may be too short to be weighed.
      expect(covered, String(length)).toBeGreaterThan(length - 20)
    }
  })
})

it.each([
  {
    what: 'a line of code',
    text: 'if(value!==null&&index<items.length){return(items[index]??"")}',
  },
  { what: 'an arrow function', text: '(one,other)=>one.start-other.start||other.end-one.end' },
  { what: 'a rule of a style sheet', text: '.card>.title:not(.is-open)::before{margin:0.5rem}' },
  { what: 'an instant', text: '[2026-11-21T17:31:00.124567+00:00]' },
  { what: 'a version', text: 'libxml2_2.12.1+dfsg-5+deb12u4~bpo11' },
  { what: 'a query', text: '/api/v1/stats/series?range=24h&group=account&top=10' },
  { what: 'a checksum of a lock file', text: `sha512-${'Zx81Kq0PlmWn72VbTy5R'.repeat(4)}==` },
  { what: 'the host of an address', text: 'https://k7Qm.x2Vb9.Zr4Lt8.example' },
  { what: 'letters of other scripts in a URL', text: '/wiki/%D0%9C%D0%BE%D1%81%D0%BA%D0%B2%D0%B0' },
  { what: 'an expression of a template', text: '{{.Values.image.repository}}:{{.Values.tag}}' },
])('$what is not random', ({ text }) => {
  expect(symbolRunsIn(text)).toEqual([])
})
