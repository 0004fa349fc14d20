import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf } from './byte-text.ts'
import { createPseudonyms, inFileName, isReplaced, PSEUDONYMS } from './pseudonyms.ts'
import type { SecretKind } from './span.ts'
import { redactText } from './testing/redact-text.ts'

const KINDS = [
  'known',
  'email',
  'secret',
  'uuid',
  'ip',
  'mac',
  'user',
  'path',
  'agent',
] as const satisfies readonly SecretKind[]
const kind = fc.constantFrom(...KINDS)

describe('a pseudonym', () => {
  it('is the same for the same value, and another for another value', () => {
    const pseudonyms = createPseudonyms({ keepMap: false })
    fc.assert(
      fc.property(kind, fc.string(), fc.string(), (of, one, other) => {
        const isSame = of === 'email' ? one.toLowerCase() === other.toLowerCase() : one === other

        expect(pseudonyms.of(of, one)).toBe(pseudonyms.of(of, one))
        expect(pseudonyms.of(of, one) === pseudonyms.of(of, other)).toBe(isSame)
      }),
    )
  })

  it('of an address does not depend on capitals, that of a secret does', () => {
    const pseudonyms = createPseudonyms({ keepMap: false })

    expect(pseudonyms.of('email', 'Ana@Mail.Example')).toBe(
      pseudonyms.of('email', 'ana@mail.example'),
    )
    expect(pseudonyms.of('secret', 'Kelp')).not.toBe(pseudonyms.of('secret', 'kelp'))
  })

  it('of a known value is that of a secret of the same text', () => {
    const pseudonyms = createPseudonyms({ keepMap: false })

    expect(pseudonyms.of('known', 'Kelp-9182xx')).toBe(pseudonyms.of('secret', 'Kelp-9182xx'))
  })

  it('is another in another run', () => {
    const [one, other] = [
      createPseudonyms({ keepMap: false }),
      createPseudonyms({ keepMap: false }),
    ]

    for (const of of KINDS) expect(one.of(of, 'Kelp-9182xx')).not.toBe(other.of(of, 'Kelp-9182xx'))
  })

  it('holds nothing of the value, and is recognised whole in a text', () => {
    const pseudonyms = createPseudonyms({ keepMap: false })
    fc.assert(
      fc.property(kind, fc.stringMatching(/^[g-z]{6,20}$/), (of, value) => {
        const text = pseudonyms.of(of, value)

        expect(text).not.toContain(value)
        expect(`a "${text}" b`.match(PSEUDONYMS)).toEqual([text])
        expect(isReplaced(text)).toBe(true)
      }),
    )
  })

  it.each(KINDS)('of kind %s is recognised after it was written into markup', (of) => {
    const text = createPseudonyms({ keepMap: false }).of(of, 'Kelp-9182xx')

    expect(isReplaced(text.replace('<', '&lt;').replace('>', '&gt;'))).toBe(true)
  })
})

describe('a text counts as replaced', () => {
  const secret = createPseudonyms({ keepMap: false }).of('secret', 'Kelp-9182xx')

  it.each([
    { text: secret },
    { text: `Bearer ${secret}` },
    { text: `${secret}:${secret}` },
    { text: `codex-${secret}.json` },
    { text: `"${secret}",` },
  ])('when nothing but words of its place stands beside the pseudonym: $text', ({ text }) => {
    expect(isReplaced(text)).toBe(true)
  })

  it.each([
    { text: '', why: 'nothing was replaced' },
    { text: 'Bearer', why: 'no pseudonym is there' },
    { text: `${secret}Kelp`, why: 'three letters may be the rest of a secret' },
    { text: `ana:${secret}`, why: 'a name stands before it' },
    { text: `${secret} \xc3\xa9t\xc3\xa9`, why: 'letters beyond ASCII count as well' },
    { text: secret.slice(0, -1), why: 'the pseudonym was cut off' },
    { text: secret.toUpperCase(), why: 'we write no capitals' },
    { text: '<secret:0123456789abc>', why: 'it has a digit too many' },
    { text: '<secret:0123456789a>', why: 'it has a digit too few' },
    { text: '<token:0123456789ab>', why: 'we know no such kind' },
    { text: 'user-0123456789ab', why: 'a name may look like that' },
    { text: 'user-0123456789ab@redacted.example', why: 'the domain is another' },
  ])('but not when $why', ({ text }) => {
    expect(isReplaced(text)).toBe(false)
  })
})

describe('in the name of a file', () => {
  it('a pseudonym has none of the signs that file systems refuse', () => {
    const pseudonyms = createPseudonyms({ keepMap: false })
    for (const of of KINDS) {
      const name = inFileName(`codex-${pseudonyms.of(of, 'ana')}-plus.json`)

      expect(name).toMatch(/^codex-[\w.@-]{15,40}-plus\.json$/)
    }
  })

  it('everything but pseudonyms stays', () => {
    const name = '<odd> a:b <secret:xyz> codex.json'

    expect(inFileName(name)).toBe(name)
  })
})

describe('the summary', () => {
  it('counts every replacement by its kind, equal ones as well', () => {
    const pseudonyms = createPseudonyms({ keepMap: false })
    for (const value of ['one', 'two', 'one']) pseudonyms.of('secret', value)
    pseudonyms.of('ip', '203.0.113.7')

    expect(pseudonyms.counts()).toEqual({ secret: 3, ip: 1 })
  })

  it('maps pseudonyms to the text they replace where that is asked for, and keeps nothing else', () => {
    const kept = createPseudonyms({ keepMap: true })
    const text = kept.of('secret', bytesOf('mörtel 77'))
    const forgotten = createPseudonyms({ keepMap: false })
    forgotten.of('secret', 'mortel 77')

    expect([...kept.map()]).toEqual([[text, 'mörtel 77']])
    expect(forgotten.map().size).toBe(0)
  })
})

it.each(['user-0123456789ab', 'secret-0a9bccddeeff'])(
  'a secret that looks like the pseudonym of a file name is one: %s',
  (secret) => {
    for (const text of [
      `password=${secret}`,
      `API_KEY="${secret}"`,
      `Bearer ${secret}`,
      `curl -u a:${secret} h`,
    ])
      expect(redactText(text)).not.toContain(secret)
    expect(redactText(`a ${secret} b`, { known: [secret] })).not.toContain(secret)
    expect(
      redactText('a <secret:0123456789ab> b', { known: ['<secret:0123456789ab>'] }),
    ).not.toContain('0123456789ab')
  },
)
