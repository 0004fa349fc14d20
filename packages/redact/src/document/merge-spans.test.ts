import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SecretKind, Span } from '../span.ts'
import { merged } from './merge-spans.ts'

const TEXT = 'abcdefghijklmnopqrstuvwxyz'
const spanOf = (start: number, end: number, changes: Partial<Span> = {}): Span => ({
  start,
  end,
  kind: 'secret',
  value: TEXT.slice(start, end),
  certainty: 'named',
  ...changes,
})

const spans = fc.array(
  fc
    .record({
      start: fc.nat(20),
      length: fc.nat(6),
      kind: fc.constantFrom<SecretKind>('secret', 'known', 'email', 'uuid'),
      certainty: fc.constantFrom('named' as const, 'shape' as const, 'here' as const),
    })
    .map(({ start, length, ...rest }) => spanOf(start, start + length, rest)),
  { maxLength: 12 },
)
const placesOf = (all: readonly Span[]) =>
  new Set(
    all.flatMap(({ start, end }) =>
      Array.from({ length: end - start }, (_, index) => start + index),
    ),
  )

describe('merged stretches', () => {
  it('come in order, do not overlap and cover exactly what the stretches covered', () => {
    fc.assert(
      fc.property(spans, (all) => {
        const out = merged(all).spans

        for (const [index, span] of out.entries()) {
          expect(span.end).toBeGreaterThan(span.start)
          expect(span.start).toBeGreaterThanOrEqual(out[index - 1]?.end ?? 0)
        }
        expect(placesOf(out)).toEqual(placesOf(all))
      }),
    )
  })

  it('say what went into them, each stretch once', () => {
    fc.assert(
      fc.property(spans, (all) => {
        const { spans: out, covered } = merged(all)

        for (const whole of covered.keys()) expect(out).toContain(whole)
        for (const part of all.filter(({ start, end }) => end > start)) {
          const whole = out.find(({ start, end }) => start <= part.start && part.end <= end)
          const parts = whole === undefined ? [] : (covered.get(whole) ?? [])
          expect(whole === part || parts.includes(part)).toBe(true)
        }
      }),
    )
  })

  it('are left alone where they only touch', () => {
    const touching = [spanOf(0, 3), spanOf(3, 6)]

    expect(merged(touching).spans).toEqual(touching)
  })

  it.each([
    { one: 'email', other: 'known', stays: 'email' },
    { one: 'known', other: 'secret', stays: 'known' },
    { one: 'secret', other: 'uuid', stays: 'secret' },
  ] as const)('at the same place: of $one and $other $stays stays', ({ one, other, stays }) => {
    const both = [spanOf(0, 9, { kind: one }), spanOf(0, 9, { kind: other })]

    expect(merged(both).spans.map(({ kind }) => kind)).toEqual([stays])
    expect(merged(both.toReversed()).spans.map(({ kind }) => kind)).toEqual([stays])
  })

  it('at the same place: a UUID stays before a text that only looks random', () => {
    const random = spanOf(0, 9, { certainty: 'shape' })

    expect(merged([random, spanOf(0, 9, { kind: 'uuid' })]).spans[0]?.kind).toBe('uuid')
  })

  it('keep the quotes that a number in JSON needs, and the end that has not been read yet', () => {
    const number = spanOf(2, 8, { quote: '"' })

    expect(merged([spanOf(2, 8, { kind: 'known' }), number]).spans).toMatchObject([
      { kind: 'known', quote: '"' },
    ])
    expect(merged([spanOf(0, 4), spanOf(2, 8, { until: /\n/ })]).spans).toMatchObject([
      { start: 0, end: 8, certainty: 'here', until: /\n/ },
    ])
  })
})
