import { describe, expect, it } from 'vitest'
import { nameFrom, quarantined, tokensOf } from './record-fields.ts'

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
    expect(tokensOf(tokens, breakdown, provider)?.tokens ?? null).toBe(count)
  })

  it.each([
    { total: MAX, saturated: false },
    { total: MAX + 1, saturated: true },
    { total: 1e30, saturated: true },
  ])('$total is cut at what a number holds exactly: $saturated', ({ total, saturated }) => {
    expect(tokensOf({ total_tokens: total }, undefined, 'codex')).toEqual({
      tokens: MAX,
      saturated,
    })
  })
})

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
