import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mayNameSecret, ruleOfName } from './secret-names.ts'

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)
/** Names as programs, settings and headers write the same words. */
const writings: readonly ((words: readonly string[]) => string)[] = [
  (words) => words.join('_'),
  (words) => words.join('_').toUpperCase(),
  (words) => words.join('-'),
  (words) => words.join('.'),
  (words) => words.map((word, index) => (index === 0 ? word : capital(word))).join(''),
  (words) => words.map(capital).join('-'),
]

describe('a name hides its value', () => {
  it.each([
    ...['password', 'db password', 'smtp pass', 'user pwd', 'api key', 'openai api key'],
    ...['access token', 'aws secret access key', 'client secret', 'private key', 'signing key'],
    ...['authorization', 'proxy authorization', 'set cookie', 'session id', 'jwt', 'otp', 'pin'],
    ...['recovery codes', 'sentry dsn', 'slack webhook url', 'management key', 'github pat'],
    ...['wpa psk', 'connection string', 'code verifier', 'string data', 'database url'],
  ])('however %s is written', (name) => {
    for (const write of writings) {
      expect(ruleOfName(write(name.split(' '))), write(name.split(' '))).toBe('secret')
      expect(mayNameSecret(`the ${write(name.split(' '))}: x`)).toBe(true)
    }
  })

  it.each([
    ...['dbpassword', 'xapikey', 'rootpw', 'bottoken', 'mysecretvalue', 'PGPASSWORD', 'X-Api-Key'],
    ...['apiKeys', 'password1', 'token_2', 'Passwort', 'contraseña', 'CONTRASEÑA', 'пароль'],
    ...['Пароль', '密码', 'db_密码'],
  ])('as %s', (name) => {
    expect(ruleOfName(name)).toBe('secret')
    expect(mayNameSecret(`${name}=x`)).toBe(true)
  })

  it('whatever stands before it', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]{1,8}(?:_[a-z]{1,8}){0,3}$/),
        fc.constantFrom('password', 'secret', 'token', 'apikey', 'passphrase'),
        (before, name) => {
          expect(ruleOfName(`${before}_${name}`)).toBe('secret')
        },
      ),
    )
    expect(ruleOfName(`${'x_'.repeat(500)}password`)).toBe('secret')
  })
})

it.each([
  ...['token_type', 'password_file', 'auth_index', 'authName', 'max_tokens_per_minute', 'key'],
  ...['state', 'code', 'bypass', 'compass', 'passthrough', 'monkey', 'sensitive', 'value', 'name'],
  ...[
    'manual_quota_refresh_auth',
    'cookie_path',
    'primary_key',
    'sort-key',
    'token_text',
    'token_breakdown',
  ],
])('%s hides nothing', (name) => {
  expect(ruleOfName(name)).toBe(null)
})

it.each(['tokens', 'max_tokens', 'input_tokens', 'sessions'])(
  '%s hides texts, and no counts',
  (name) => {
    expect(ruleOfName(name)).toBe('text')
  },
)

it.each([
  'email',
  'user_email',
  'apiName',
  'userName',
  'account_id',
  'organization_name',
  'device_id',
])('%s hides who is meant', (name) => {
  expect(ruleOfName(name)).toBe('person')
})
