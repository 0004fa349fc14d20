import { expect, it } from 'vitest'
import { ALWAYS } from '../names/secret-names.ts'
import { spanOf } from './assignments.ts'

it.each([
  { what: 'a token behind its scheme', value: 'Bearer Kelp-91', parts: ['Kelp-91'] },
  { what: 'the values of cookies', value: 'a=b7; sid=Kelp-91', parts: ['b7', 'Kelp-91'] },
  { what: 'a value before the next field', value: 'Kelp-91 user=ana', parts: ['Kelp-91'] },
  { what: 'a value before a comma', value: 'Kelp-91,', parts: ['Kelp-91'] },
  { what: 'a value before stars', value: '**Kelp-91**', parts: ['Kelp-91'] },
  { what: 'nothing else', value: 'Kelp 91', parts: undefined },
])('a secret of its own is $what', ({ value, parts }) => {
  expect(spanOf(value, { start: 0, end: value.length, isQuoted: true }, ALWAYS)[0]?.parts).toEqual(
    parts,
  )
})

it.each([
  { what: 'a common word', value: 'summertime', certainty: 'here' },
  { what: 'a few letters', value: 'vxjqz', certainty: 'here' },
  { what: 'letters that read like no word', value: 'vxjiolmcgn', certainty: 'named' },
])('in running text $what is $certainty', ({ value, certainty }) => {
  const text = `-H x-management-key: ${value}`

  const place = { start: text.length - value.length, end: text.length, isQuoted: false }

  expect(spanOf(text, place, ALWAYS)).toMatchObject([{ value, certainty }])
})
