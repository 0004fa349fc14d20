import { expect, it } from 'vitest'
import { looksSecret } from './looks-secret.ts'

it.each([
  { what: 'letters and digits', value: 'kelp9182' },
  { what: 'random letters', value: 'qzxvkwjqbnmtrwplkjhg' },
  { what: 'two parts with digits', value: 'Zx81-Kq0P' },
  { what: 'digits and signs', value: '91-82#kelp' },
  { what: '17 hexadecimal digits', value: '4d7444d22bc687d2a' },
  { what: 'blanks around it', value: '  kelp9182  ' },
])('$what may be a secret', ({ value }) => {
  expect(looksSecret(value)).toBe(true)
})

it.each([
  { what: 'seven characters', value: 'kelp918' },
  { what: 'several words', value: 'kelp 9182 xx' },
  { what: 'a word', value: 'configuration' },
  { what: 'a name in snake case', value: 'quota_window_label' },
  { what: 'a name in camel case', value: 'createQuotaSnapshot' },
  { what: 'a number', value: '1763746260124' },
  { what: 'a date', value: '2026-11-21' },
  { what: 'a path', value: '/etc/svc1/config' },
  { what: 'a relative path', value: '../svc1/config9' },
  { what: 'a path of Windows', value: 'C:\\svc1\\config' },
  { what: 'an address', value: 'https://h1.example' },
  { what: 'the name of a file', value: 'account-1a2b.json' },
  { what: 'the address of a host', value: '203.0.113.77' },
  { what: 'the stable key of an account', value: '4d7444d22bc687d2' },
  { what: 'a word of state', value: 'unavailable' },
  { what: 'a variable', value: '$API_TOKEN_1' },
])('$what does not look like a secret', ({ value }) => {
  expect(looksSecret(value)).toBe(false)
})
