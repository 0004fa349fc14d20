import { describe, expect, it } from 'vitest'
import { nameFrom, quarantined } from './record-fields.ts'

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
