import { describe, expect, it } from 'vitest'
import { pairsIn } from './contexts.ts'

const hiddenIn = (text: string) => {
  const spans = pairsIn(text)
  for (const { start, end, value } of spans) expect(text.slice(start, end)).toBe(value)
  return spans.map(({ value }) => value)
}

describe('a member that names the other', () => {
  it.each([
    { name: 'in JSON', text: '{"name": "API_KEY", "value": "a9x b"}', hidden: ['a9x b'] },
    {
      name: 'in JSON, the value first',
      text: '{"value": "a9x", "name": "API_KEY"}',
      hidden: ['a9x'],
    },
    { name: 'in JSON over lines', text: '{"key":"DB_PASS",\n  "value":"a9x"}', hidden: ['a9x'] },
    {
      name: 'in escaped JSON',
      text: '{\\"name\\":\\"TOKEN\\",\\"value\\":\\"a9x\\"}',
      hidden: ['a9x'],
    },
    { name: 'in a map of YAML', text: '- {name: API_TOKEN, value: a9x}', hidden: ['a9x'] },
    {
      name: 'in HCL',
      text: 'variable "password" {\n  type = string\n  default = "a9x"\n}',
      hidden: ['a9x'],
    },
    { name: 'as a header', text: "{header: 'x-api-key', value: 'a9x'}", hidden: ['a9x'] },
    {
      name: 'twice',
      text: '[{"name":"TOKEN","value":"a9x"},{"name":"PASSWORD","value":"b8y"}]',
      hidden: ['a9x', 'b8y'],
    },
  ])('$name hides it', ({ text, hidden }) => {
    expect([...new Set(hiddenIn(text))].sort()).toEqual(hidden)
  })

  it.each([
    { name: 'a harmless name', text: '{"name":"COLOR","value":"a9x"}' },
    { name: 'a name that only may name a secret', text: '{"name":"state","value":"a9x"}' },
    { name: 'a list', text: '{name: TOKEN, value: [a9x]}' },
    { name: 'a value of another object', text: '{"value":"a9x"},{"name":"TOKEN"}' },
    { name: 'a word that ends with a naming word', text: '{"hostname":"TOKEN","value":"a9x"}' },
  ])('of $name hides nothing', ({ text }) => {
    expect(hiddenIn(text)).toEqual([])
  })
})
