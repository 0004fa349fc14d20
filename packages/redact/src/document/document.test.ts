import { expect, it } from 'vitest'
import { createPseudonyms } from '../pseudonyms.ts'
import { containers, secretNames } from '../testing/containers.ts'
import { createRandom } from '../testing/random.ts'
import { redactText } from '../testing/redact-text.ts'
import { passwords, tokens } from '../testing/secrets.ts'

const random = createRandom(3)
const filler = (length: number) =>
  'all quiet in the pool at this hour\n'.repeat(Math.ceil(length / 35)).slice(0, length)
const key = (lines: number) =>
  `-----BEGIN PRIVATE KEY-----\n${Array.from({ length: lines }, () => random.bytes(48).toString('base64')).join('\n')}\n-----END PRIVATE KEY-----`

const documents = Object.entries(containers).flatMap(([name, { file, write, takes }]) => {
  const secret = Object.values(passwords)
    .map((make) => make(random))
    .find((value) => takes?.(value) ?? true)
  const kind = /^json/.test(file) ? 'json' : /sv$/.test(file) ? 'csv' : 'text'
  return secret === undefined
    ? []
    : [{ name, kind, text: write(random.pick(secretNames), secret) } as const]
})

it.each(documents)('$name reads the same in pieces of any size', ({ kind, text }) => {
  const pseudonyms = createPseudonyms({ keepMap: false })
  const whole = redactText(text, { kind, pseudonyms })

  for (const pieceLength of [1, 7, 100])
    expect(redactText(text, { kind, pieceLength, pseudonyms })).toBe(whole)
})

it.each(documents)('$name does not change a second time', ({ kind, text }) => {
  const once = redactText(text, { kind })

  expect(redactText(once, { kind })).toBe(once)
})

it('a secret is seen wherever a piece ends', () => {
  for (const [, make] of Object.entries(tokens)) {
    const token = make(random)
    for (const offset of [262_144, 278_528]) {
      for (const shift of [5, token.length - 3]) {
        const text = `${filler(offset - shift)} password=${token} and ${token} end\n${filler(40_000)}`
        expect(redactText(text, { known: [token] })).not.toContain(token.slice(4, 14))
      }
    }
  }
})

it.each([
  ['a key in armour', () => key(50_000), 4],
  ['Base64 without an end', () => random.bytes(2_500_000).toString('base64'), 4],
  ['a value in quotes', () => `password: "${'several words, one secret, '.repeat(100_000)}"`, 40],
  [
    'a string of JSON',
    () => JSON.stringify({ a: 1, token: 'some words and a secret '.repeat(120_000) }),
    40,
  ],
])('%s of 3 MB is replaced whole', (_, make, kept) => {
  const text = make()
  const kind = text.startsWith('{') ? 'json' : 'text'
  const out = redactText(`${kind === 'json' ? '' : 'before\n'}${text}\nafter`, {
    kind,
    pieceLength: 100_000,
  })

  expect(out.length).toBeLessThan(kept + 120)
  expect(out).not.toMatch(/secret [a-z]|[A-Za-z0-9+/]{40}/)
})

it('equal values have equal pseudonyms of 48 bits, and two runs share none', () => {
  const one = createPseudonyms({ keepMap: true })
  const [first, second] = redactText('a@mail.example and A@mail.example', {
    pseudonyms: one,
  }).split(' and ')

  expect(first).toBe(second)
  expect(first).toMatch(/^user-[0-9a-f]{12}@redacted\.invalid$/)
  expect(redactText('a@mail.example')).not.toBe(first)
  const many = new Set(
    Array.from({ length: 50_000 }, (_, index) => one.of('secret', `value ${index}`)),
  )
  expect(many.size).toBe(50_000)
})

it('bytes that are not valid UTF-8 stay as they are', () => {
  expect(redactText('caf\u00e9 \ufffd à l’heure, naïve')).toBe('caf\u00e9 \ufffd à l’heure, naïve')
})
