import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { faultIn } from './schema-fault.ts'
import { filled } from './testing/filled.ts'

const golden = join(import.meta.dirname, '../../../tests/program/golden')
const answers = (
  [
    ['Recommendations', 'demo-recommendations'],
    ['Recommendations', 'fleet-recommendations'],
    ['Health', 'demo-health'],
    ['Health', 'fleet-health'],
    ['StatusSnapshot', 'demo-status'],
    ['StatusSnapshot', 'fleet-status'],
    ['StatsSeries', 'demo-stats-series'],
  ] as const
).map(([payload, file]) => ({
  payload,
  text: readFileSync(join(golden, `${file}.json`), 'utf8'),
}))

it.each(answers)('an answer of the demo is a whole $payload', ({ payload, text }) => {
  expect(faultIn(JSON.parse(text), payload)).toBeNull()
})

it.each(['AccountDetail', 'Health', 'Pick', 'Recommendations', 'StatsSeries', 'StatusSnapshot'])(
  'the least %s is one',
  (payload) => {
    expect(faultIn(filled(payload), payload)).toBeNull()
  },
)

const item = (changes: object) => filled('Recommendations', { items: [changes] })

describe('the fault', () => {
  it.each<[string, unknown, string | null]>([
    ['a list in place of an answer', [], ''],
    ['no answer', null, ''],
    ['a missing member', { ...filled('Recommendations'), items: undefined }, null],
    ['a line break in a slug', item({ blocked: [{ slug: 'a\nid' }] }), 'items[0].blocked[0].slug'],
    ['a line break at the end of a slug', item({ routingBlockedReasons: ['a\n'] }), ''],
    ['a command in the name of a proxy', item({ upstream: 'a}$(id)' }), 'items[0].upstream'],
    [
      'a time that is none',
      item({ blockedUntil: '2026-13-01T00:00:00Z' }),
      'items[0].blockedUntil',
    ],
    [
      'a time beyond all',
      item({ blockedUntil: '+275760-09-13T00:00:00Z' }),
      'items[0].blockedUntil',
    ],
    ['a number without an end', item({ routingScore: Number.POSITIVE_INFINITY }), ''],
    [
      'a fraction of an account',
      filled('Recommendations', { routableCount: 0.5 }),
      'routableCount',
    ],
    ['a text without an end', item({ title: 'x'.repeat(100_000) }), 'items[0].title'],
    ['a tone of nobody', item({ tone: 'evil' }), 'items[0].tone'],
    ['a text for a list', filled('Recommendations', { items: 'all' }), 'items'],
    ['a list for a text', item({ title: ['a'] }), 'items[0].title'],
    ['a null where none may be', item({ title: null }), 'items[0].title'],
  ])('of %s is found', (_title, answer, at) => {
    const fault = faultIn(JSON.parse(JSON.stringify(answer) ?? 'null'), 'Recommendations')

    if (at === '') expect(fault).not.toBeNull()
    else expect(fault).toBe(at ?? 'items')
  })

  it.each<[string, object]>([
    ['members that nobody knows', { title: 'a', later: { any: ['\u001b'] } }],
    ['a kind that a newer service may have', { quotaWindows: [{ state: 'paused' }] }],
    ['a window of another scope', { routingBlockedReasons: ['quota_exhausted_opus:week'] }],
    ['signs in a file name', { selector: { authName: '$(id)\n\u001b[2J' } }],
  ])('is none for %s', (_title, changes) => {
    expect(faultIn(item(changes), 'Recommendations')).toBeNull()
  })

  it('is at the very value that is of another type', () => {
    const [{ text, payload } = { text: '', payload: '' }] = answers
    const places = placesIn(JSON.parse(text))
    fc.assert(
      fc.property(fc.nat(places.length - 1), (index) => {
        const answer: unknown = JSON.parse(text)
        const place = places[index] ?? []
        const [last = '', ...outer] = place.toReversed()
        const owner = outer.reduceRight<unknown>((of, key) => Reflect.get(Object(of), key), answer)
        const value: unknown = Reflect.get(Object(owner), last)
        Reflect.set(Object(owner), last, typeof value === 'boolean' ? 'true' : { wrong: true })

        const at = place.reduce(
          (path, key) =>
            /^\d+$/.test(key) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`,
          '',
        )
        expect(faultIn(answer, payload)).toBe(at)
      }),
    )
  })
})

/** Places of every value that is no object and no null. */
function placesIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return value === null ? [] : [[]]
  return Object.entries(value).flatMap(([key, inner]) =>
    placesIn(inner).map((place) => [key, ...place]),
  )
}
