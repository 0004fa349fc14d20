import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPseudonyms, isPseudonym, PSEUDONYMS, type SecretKind } from './pseudonyms.ts'

const KINDS = ['secret', 'hidden', 'email'] as const satisfies readonly SecretKind[]
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

  it('ends alike for one value of two kinds, so that a reader can follow it', () => {
    const pseudonyms = createPseudonyms({ keepMap: false })

    expect(pseudonyms.of('secret', 'Kelp').slice(-12)).toBe(
      pseudonyms.of('hidden', 'Kelp').slice(-12),
    )
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
        expect(isPseudonym(text)).toBe(true)
      }),
    )
  })

  it.each([
    'secret-3f9a0c7be11',
    'xsecret-3f9a0c7be112',
    'secret-3f9a0c7be1123',
    'user-3f9a0c7be112',
  ])('is not %s', (text) => {
    expect(text.match(PSEUDONYMS)).toBeNull()
    expect(isPseudonym(text)).toBe(false)
  })

  it('is counted by kind, and mapped where that is asked for', () => {
    const pseudonyms = createPseudonyms({ keepMap: true })
    const text = pseudonyms.of('secret', 'Kelp')
    pseudonyms.of('secret', 'Kelp')

    expect(pseudonyms.counts()).toEqual({ secret: 2 })
    expect([...pseudonyms.map()]).toEqual([[text, 'Kelp']])
    expect(createPseudonyms({ keepMap: false }).map().size).toBe(0)
  })
})
