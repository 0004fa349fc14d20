import { format, inspect } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Redacted } from './redacted.ts'

const SECRET = 'sk-management-0123456789'

const ways: readonly (readonly [string, (secret: Redacted) => string])[] = [
  ['String()', String],
  ['a template', (secret) => `${secret}`],
  ['concatenation', (secret) => `key=${secret as unknown as string}`],
  ['join', (secret) => [secret, secret].join()],
  ['JSON.stringify', (secret) => JSON.stringify({ key: secret, list: [secret] })],
  ['util.inspect', (secret) => inspect({ deep: { key: secret } }, { depth: null })],
  [
    'util.inspect with hidden fields',
    (secret) => inspect(secret, { showHidden: true, customInspect: false }),
  ],
  ['util.format', (secret) => format('%s %o %O %j', secret, secret, secret, secret)],
  ['spread', (secret) => JSON.stringify({ ...secret }) + inspect({ ...secret })],
  ['own keys', (secret) => JSON.stringify([Reflect.ownKeys(secret), Object.entries(secret)])],
  ['a structured clone', (secret) => inspect(structuredClone({ ...secret }))],
  ['an error message', (secret) => inspect(new Error(`refused ${secret}`, { cause: secret }))],
]

it.each(ways)('%s never shows the secret', (_, shown) => {
  expect(shown(new Redacted(SECRET))).not.toContain(SECRET)
})

it('prints as three stars, whatever its length', () => {
  expect([`${new Redacted('')}`, `${new Redacted(SECRET)}`, inspect(new Redacted(SECRET))]).toEqual(
    ['***', '***', '***'],
  )
  expect(JSON.stringify({ key: new Redacted(SECRET) })).toBe('{"key":"***"}')
})

it('gives the secret back when asked by name', () => {
  fc.assert(fc.property(fc.string(), (secret) => new Redacted(secret).reveal() === secret))
})
