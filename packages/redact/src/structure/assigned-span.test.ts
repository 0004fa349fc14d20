import { expect, it } from 'vitest'
import { ALWAYS } from '../names/secret-names.ts'
import { spanOf } from './assigned-span.ts'

it.each([
  { what: 'a token behind its scheme', value: 'Bearer Kelp-91', parts: ['Kelp-91'] },
  { what: 'the values of cookies', value: 'a=b7; sid=Kelp-91', parts: ['b7', 'Kelp-91'] },
  { what: 'a value before the next field', value: 'Kelp-91 user=ana', parts: ['Kelp-91'] },
  { what: 'a value before a comma', value: 'Kelp-91,', parts: ['Kelp-91'] },
  { what: 'a value before stars', value: '**Kelp-91**', parts: ['Kelp-91'] },
  { what: 'nothing else', value: 'Kelp 91', parts: undefined },
])('a secret of its own is $what', ({ value, parts }) => {
  expect(spanOf(value, 0, value.length, ALWAYS, true)[0]?.parts).toEqual(parts)
})

it.each([
  { what: 'a common word', value: 'summertime', certainty: 'here' },
  { what: 'a few letters', value: 'vxjqz', certainty: 'here' },
  { what: 'letters that read like no word', value: 'vxjiolmcgn', certainty: 'named' },
])('in running text $what is $certainty', ({ value, certainty }) => {
  const text = `-H x-management-key: ${value}`

  expect(spanOf(text, text.length - value.length, text.length, ALWAYS, false)).toMatchObject([
    { value, certainty },
  ])
})
