import type { TokenClasses } from '@svc/core/usage'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nameFrom, quarantined, tokensOf } from './record-fields.ts'

it.each([
  { candidates: ['', ' \n', 'third'], name: 'third' },
  { candidates: [null, 7, {}], name: 'unknown' },
  { candidates: ['a\u202eb\u0000c'], name: 'abc' },
  { candidates: ['x'.repeat(300)], name: 'x'.repeat(256) },
])('the first name that can be shown is kept: $name', ({ candidates, name }) => {
  expect(nameFrom(...candidates)).toBe(name)
})

describe('a record that is not kept', () => {
  it.each<{ wire: unknown; shape: string }>([
    { wire: 'canary', shape: 'string' },
    { wire: null, shape: 'null' },
    { wire: ['canary'], shape: 'list' },
    {
      wire: {
        model: 'canary',
        tokens: { total: 'canary', more: { canary: 1 } },
        api: { canary: 1 },
      },
      shape: '{model:string tokens:{total:string more:object} api:object}',
    },
    { wire: { 'canary@example.com': 1, Canary: 2 }, shape: '{?:number ?:number}' },
  ])('is reduced to $shape', ({ wire, shape }) => {
    expect(quarantined('bad_shape', wire).shape).toBe(shape)
  })

  it('of many fields shows the first forty', () => {
    const wire = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, at]))

    expect(quarantined('bad_shape', wire).shape.split(' ')).toHaveLength(40)
  })
})

const MAX = Number.MAX_SAFE_INTEGER
const whole = { total_tokens: 10, input_tokens: 6, output_tokens: 3, reasoning_tokens: 2 }

describe('the tokens of a record', () => {
  it.each<{
    why: string
    tokens: unknown
    breakdown?: unknown
    provider?: string
    count: number | null
  }>([
    { why: 'its total', tokens: whole, count: 10 },
    { why: 'nothing stated', tokens: undefined, count: 0 },
    { why: 'null', tokens: null, count: 0 },
    { why: 'no object', tokens: 7, count: null },
    { why: 'numbers as text', tokens: { total_tokens: '12' }, count: 12 },
    {
      why: 'input and output where the total is 0',
      tokens: { ...whole, total_tokens: 0 },
      count: 9,
    },
    {
      why: 'reasoning apart, for a provider that counts it so',
      tokens: { ...whole, total_tokens: 0 },
      provider: 'gemini-cli',
      count: 11,
    },
    { why: 'a negative count', tokens: { ...whole, output_tokens: -1 }, count: null },
    { why: 'a broken count', tokens: { total_tokens: 1.5 }, count: null },
    { why: 'a count that is no number', tokens: { total_tokens: 'many' }, count: null },
    {
      why: 'a breakdown of the known version wins',
      tokens: whole,
      breakdown: { schema_version: 2, total_tokens: 42 },
      count: 42,
    },
    {
      why: 'unless it is inconsistent',
      tokens: whole,
      breakdown: { schema_version: 2, quality: 'inconsistent', total_tokens: 42 },
      count: 10,
    },
    {
      why: 'or of another version',
      tokens: whole,
      breakdown: { schema_version: 3, total_tokens: 42 },
      count: 10,
    },
    {
      why: 'or states no total',
      tokens: whole,
      breakdown: { schema_version: 2, total_tokens: 'x' },
      count: 10,
    },
  ])('$why: $count', ({ tokens, breakdown, provider = 'codex', count }) => {
    expect(tokensOf({ tokens, token_breakdown: breakdown }, provider)?.tokens ?? null).toBe(count)
  })

  it.each([
    { total: MAX, saturated: false },
    { total: MAX + 1, saturated: true },
    { total: 1e30, saturated: true },
  ])('$total is cut at what a number holds exactly: $saturated', ({ total, saturated }) => {
    expect(tokensOf({ tokens: { total_tokens: total } }, 'codex')).toEqual({
      tokens: MAX,
      saturated,
      classes: null,
    })
  })
})

type Wire = Readonly<Record<string, unknown>>

describe('the classes of the tokens', () => {
  const breakdown = {
    schema_version: 2,
    quality: 'complete',
    total_tokens: 100,
    input: { total_tokens: 70, uncached_tokens: 20, cache_read_tokens: 40, cache_write_tokens: 10 },
    output: { total_tokens: 30, non_reasoning_tokens: 25, reasoning_tokens: 5 },
    unclassified_tokens: 0,
  }
  const ofBreakdown = {
    tokensIn: 20,
    tokensCached: 40,
    tokensWritten: 10,
    tokensOut: 30,
  }
  const openAi = {
    input_tokens: 70,
    cached_tokens: 40,
    cache_read_tokens: 40,
    cache_creation_tokens: 10,
    output_tokens: 30,
    reasoning_tokens: 5,
    total_tokens: 100,
  }
  const anthropic = { ...openAi, input_tokens: 20 }
  const gemini = {
    input_tokens: 70,
    cached_tokens: 40,
    output_tokens: 25,
    reasoning_tokens: 5,
    total_tokens: 100,
  }

  it.for<readonly [what: string, wire: Wire, classes: TokenClasses, provider?: string]>([
    ['are those of a breakdown', { token_breakdown: breakdown }, ofBreakdown],
    [
      'follow the breakdown at every vendor',
      { token_breakdown: breakdown, tokens: anthropic },
      ofBreakdown,
      'devin',
    ],
    [
      'are taken from the counts where the breakdown says that it is wrong',
      { token_breakdown: { ...breakdown, quality: 'inconsistent' }, tokens: openAi },
      ofBreakdown,
    ],
    [
      'without an input are those of another vendor',
      { tokens: { input_tokens: 0, output_tokens: 9, total_tokens: 9 } },
      { tokensIn: 0, tokensCached: 0, tokensWritten: 0, tokensOut: 9 },
    ],
    ['of an input that includes the cache', { tokens: openAi }, ofBreakdown],
    ['of an input that excludes the cache', { tokens: anthropic }, ofBreakdown, 'claude'],
    [
      'of Kimi through the format of Claude are told by what executed the request',
      { executor_type: 'ClaudeExecutor', tokens: anthropic },
      ofBreakdown,
      'kimi',
    ],
    [
      'with reasoning beside the output have it in the output',
      { tokens: gemini },
      { tokensIn: 30, tokensCached: 40, tokensWritten: 0, tokensOut: 30 },
      'gemini',
    ],
    [
      'of counts before caches were counted apart',
      { tokens: { input_tokens: 70, cached_tokens: 40, output_tokens: 30, total_tokens: 100 } },
      { tokensIn: 30, tokensCached: 40, tokensWritten: 0, tokensOut: 30 },
    ],
  ])('$0', ([, wire, classes, provider = 'codex']) => {
    expect(tokensOf(wire, provider)?.classes).toEqual(classes)
  })

  it.for<readonly [what: string, wire: Wire, provider?: string]>([
    [
      'where the breakdown does not classify all',
      { token_breakdown: { ...breakdown, total_tokens: 101, unclassified_tokens: 1 } },
    ],
    [
      'where a breakdown lacks its halves',
      { token_breakdown: { schema_version: 2, total_tokens: 100 } },
    ],
    [
      'where the breakdown of another vendor says that it is wrong',
      { token_breakdown: { ...breakdown, quality: 'inconsistent' }, tokens: anthropic },
      'claude',
    ],
    [
      'where a breakdown is not complete',
      { token_breakdown: { ...breakdown, quality: 'partial' }, tokens: openAi },
      'xai',
    ],
    [
      'where a stream of Claude has lost its input',
      {
        token_breakdown: {
          ...breakdown,
          total_tokens: 30,
          input: {
            total_tokens: 0,
            uncached_tokens: 0,
            cache_read_tokens: 0,
            cache_write_tokens: 0,
          },
        },
      },
      'claude',
    ],
    [
      'where such a stream has no breakdown',
      { tokens: { input_tokens: 0, cache_read_tokens: 0, output_tokens: 9, total_tokens: 9 } },
      'claude',
    ],
    [
      'of an input that excludes the cache where what was read is not stated',
      { tokens: { ...anthropic, cache_read_tokens: undefined } },
      'claude',
    ],
    ['of a vendor without a family', { tokens: openAi }, 'devin'],
    ['that do not add up to the total', { tokens: { ...openAi, total_tokens: 99 } }],
    [
      'with more in the cache than came in',
      { tokens: { ...openAi, cached_tokens: 80, cache_read_tokens: 80 } },
    ],
    ['with a part that is no count', { tokens: { ...openAi, cache_creation_tokens: -1 } }],
    ['where nothing is stated', {}],
  ])('are unknown $0', ([, wire, provider = 'codex']) => {
    expect(tokensOf(wire, provider)?.classes ?? null).toBeNull()
  })

  it('add up to the total, whatever is stated', () => {
    const part = fc.option(fc.nat(100), { nil: undefined })
    const counts = fc.record({
      input_tokens: part,
      output_tokens: part,
      reasoning_tokens: part,
      cached_tokens: part,
      cache_read_tokens: part,
      cache_creation_tokens: part,
      total_tokens: part,
    })
    fc.assert(
      fc.property(
        counts,
        fc.constantFrom('codex', 'claude', 'gemini', 'devin', ''),
        (tokens, provider) => {
          const found = tokensOf({ tokens }, provider)
          if (found?.classes == null) return
          const parts = Object.values(found.classes)
          expect(parts.every((part) => part >= 0)).toBe(true)
          expect(parts.reduce((sum, part) => sum + part, 0)).toBe(found.tokens)
        },
      ),
    )
  })
})
