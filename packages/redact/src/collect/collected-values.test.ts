import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bytesOf } from '../byte-text.ts'
import { createPseudonyms } from '../pseudonyms.ts'
import type { SecretKind, Span } from '../span.ts'
import { createRandom } from '../testing/random.ts'
import { createCollectedValues, isEverydayWord } from './collected-values.ts'

const span = (value: string, changes: Partial<Span> = {}): Span => ({
  start: 0,
  end: value.length,
  kind: 'secret',
  value: bytesOf(value),
  certainty: 'named',
  ...changes,
})
/** The values that are known after these were found. */
const valuesOf = (...found: readonly Span[]) => {
  const collected = createCollectedValues()
  for (const each of found) collected.addFound(each)
  return collected.values().map(({ value }) => value)
}
const pseudonym = createPseudonyms({ keepMap: false }).of('secret', 'Kelp-9182xx')

describe('what a file names as a secret is known', () => {
  it.each([
    { what: 'a password', value: 'Kelp-9182xx' },
    { what: 'several words', value: 'correct horse 77' },
    { what: 'a long number', value: '483920' },
    { what: 'letters beyond ASCII', value: 'mörtel' },
  ])('when it is $what', ({ value }) => {
    expect(valuesOf(span(value))).toEqual([bytesOf(value)])
  })

  it.each([
    { what: 'five characters', value: 'kelp9' },
    { what: 'five digits', value: '48392' },
    { what: 'a number with zeros alone', value: '000000' },
    { what: 'a decimal number', value: '123.456' },
    { what: 'an instant', value: '2026-11-21T17:31:00Z' },
    { what: 'a ruler', value: '--------+--' },
    { what: 'a word of state', value: 'unavailable' },
    { what: 'an everyday word', value: 'administrator' },
    { what: 'a pseudonym', value: pseudonym },
    { what: 'a word of pseudonyms', value: 'secret' },
    { what: 'blank', value: '       ' },
  ])('but not when it is $what, which would be found anywhere', ({ value }) => {
    expect(valuesOf(span(value))).toEqual([])
  })

  it.each(['ip', 'mac', 'uuid', 'path', 'agent'] as const satisfies readonly SecretKind[])(
    'but not when it is of kind %s, which is replaced where it stands',
    (kind) => {
      expect(valuesOf(span('Kelp-9182xx', { kind }))).toEqual([])
    },
  )

  it('but not when nothing is certain about it', () => {
    expect(valuesOf(span('Kelp-9182xx', { certainty: 'here' }))).toEqual([])
  })

  it.each([
    { value: 'kelp-9182-words', count: 0 },
    { value: 'kelp-9182-words7', count: 1 },
  ])('by its shape alone from 16 characters on: $value', ({ value, count }) => {
    expect(valuesOf(span(value, { certainty: 'shape' }))).toHaveLength(count)
  })

  it('by its shape when it is an address, however short', () => {
    expect(valuesOf(span('a@b.example', { kind: 'email', certainty: 'shape' }))).toEqual([
      'a@b.example',
    ])
  })

  it('together with its parts', () => {
    expect(valuesOf(span('ana:Kelp-9182xx', { parts: ['Kelp-9182xx', 'x'] }))).toEqual([
      'ana:Kelp-9182xx',
      'Kelp-9182xx',
    ])
  })

  it('once, whatever its capitals', () => {
    expect(valuesOf(span('Kelp-9182xx'), span('KELP-9182XX'))).toEqual(['Kelp-9182xx'])
  })
})

describe('a value is also known as it reads', () => {
  it.each([
    { how: 'without blanks around it', value: '\n Kelp-9182xx \t', reads: 'Kelp-9182xx' },
    { how: 'without escapes', value: String.raw`kelp\u002d9182`, reads: 'kelp-9182' },
    { how: 'without escapes in escapes', value: String.raw`kelp\\u002d9182`, reads: 'kelp-9182' },
    { how: 'without percent signs', value: 'kelp%2D9182', reads: 'kelp-9182' },
    { how: 'without entities', value: 'kelp&amp;9182', reads: 'kelp&9182' },
    { how: 'with one quote of YAML for two', value: "O''Brien-77", reads: "O'Brien-77" },
    { how: 'with one quote of CSV for two', value: 'kelp""9182', reads: 'kelp"9182' },
    { how: 'with one quote of a shell for four', value: `O'\\''Brien-77`, reads: `O'Brien-77` },
    {
      how: 'with blanks for the pluses of a form',
      value: 'kelp+forest+77',
      reads: 'kelp forest 77',
    },
    { how: 'with percent signs alone undone', value: 'kelp%20\\n9182', reads: 'kelp \\n9182' },
  ])('$how', ({ value, reads }) => {
    expect(valuesOf(span(value))).toContain(reads)
  })
})

describe('a value is looked for as a whole word', () => {
  const asWord = (value: string) => {
    const collected = createCollectedValues()
    collected.addConfigured(value, 'secret')
    return collected.values().map((known) => known.asWord)
  }

  it.each([
    { value: 'kelp-91', isWord: true, why: 'it is shorter than eight characters' },
    { value: 'kelp-918', isWord: false, why: 'it is not a word' },
    { value: '483920571', isWord: true, why: 'it is a number' },
    { value: '1234567890123456', isWord: false, why: 'no number is as long' },
    { value: 'kelpforests', isWord: true, why: 'it may be a word' },
    { value: 'kelpforestss', isWord: false, why: 'it has twelve letters' },
    { value: 'KELPFOREST', isWord: true, why: 'it may be a word in capitals' },
    { value: 'kelpForest', isWord: false, why: 'capitals stand in it' },
  ])('$isWord for $value, because $why', ({ value, isWord }) => {
    expect(asWord(value)).toEqual([isWord])
  })

  it('no longer when it is found once more in a form that is not a word', () => {
    const collected = createCollectedValues()
    for (const value of ['kelpforest', 'kelpForest', 'KELPFOREST']) collected.addFound(span(value))

    expect(collected.values()).toEqual([{ value: 'kelpforest', kind: 'secret', asWord: false }])
  })
})

describe('what the configuration leads to is known', () => {
  const configured = (value: string) => {
    const collected = createCollectedValues()
    collected.addConfigured(value, 'secret')
    return collected.values().map((known) => known.value)
  }

  it.each([
    { value: 'kelp', known: ['kelp'] },
    { value: ' kelp\n', known: ['kelp'] },
    { value: 'header', known: ['header'] },
    { value: 'abc', known: [] },
    { value: 'Secret', known: [] },
    { value: 'redacted.invalid', known: [] },
  ])('$value as $known', ({ value, known }) => {
    expect(configured(value)).toEqual(known)
  })

  it('as far as its first 64 KiB', () => {
    expect(configured('k'.repeat(70_000))[0]).toHaveLength(64 * 1024)
  })
})

describe('values that are too many to be remembered', () => {
  const random = createRandom(8)
  const many = Array.from({ length: 50 }, () => random.text('abcdefghjkmnpq23456789', 60_000))

  it('are counted by what gave them away, and cost what the files name nothing', () => {
    const collected = createCollectedValues()
    for (const value of many) collected.addFound(span(value, { certainty: 'shape' }))
    collected.addFound(span('Kelp-9182xx'))

    // 128 KiB hold two of them.
    expect(collected.leftOut).toEqual({ named: 0, byShape: 48 })
    expect(collected.values()).toHaveLength(3)
  })

  it('do not push out what the configuration leads to', () => {
    const collected = createCollectedValues()
    for (const value of many) collected.addFound(span(value))
    collected.addConfigured('Kelp-9182xx', 'secret')

    // 640 KiB hold ten of them.
    expect(collected.leftOut).toEqual({ named: 40, byShape: 0 })
    expect(collected.values().at(-1)?.value).toBe('Kelp-9182xx')
  })
})

const named = (value: string) =>
  ({ start: 0, end: value.length, kind: 'secret', value, certainty: 'named' }) as const
const openapi: unknown = JSON.parse(
  readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'),
)

function namesIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(namesIn)
  if (node === null || typeof node !== 'object') return []
  const { properties, enum: codes } = node as { properties?: object; enum?: readonly unknown[] }
  const codeNames = Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : []
  return [...Object.keys(properties ?? {}), ...codeNames, ...Object.values(node).flatMap(namesIn)]
}

it('every name of our interface is an everyday word', () => {
  const names = namesIn(openapi).filter(({ length }) => length >= 6)

  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name) => !isEverydayWord(name))).toEqual([])
})

it.each([
  'header',
  'quotas',
  'accountKey',
  '12345',
  'svc-quota-monitor',
  'svc-quota-monitor-backup.service',
  '/etc/svc-quota-monitor/config.toml',
])('%s under the name of a secret is looked for nowhere else', (word) => {
  const collected = createCollectedValues()
  collected.addFound(named(word))

  expect(collected.values()).toEqual([])
})

it.each([
  'Kelp-9182xx',
  'svc-quota-monitor-Kelp9182',
  'svc-quota-monitor-kelpforest',
  'headers of mine',
  '483920',
])('%s is', (value) => {
  const collected = createCollectedValues()
  collected.addFound(named(value))

  expect(collected.values().map((known) => known.value)).toEqual([value])
})

it('what the configuration names is looked for, whatever it is', () => {
  const collected = createCollectedValues()
  collected.addConfigured('header', 'secret')

  expect(collected.values()).toHaveLength(1)
})
