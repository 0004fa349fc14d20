import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf } from '../byte-text.ts'
import { redactText } from '../testing/redact-text.ts'
import { NAME_TRIGGER, ruleOfName } from './secret-names.ts'

const hides = (name: string) => ruleOfName(bytesOf(name))?.hides ?? null
/** Names as programs, settings and headers write the same words. */
const writings: readonly ((words: readonly string[]) => string)[] = [
  (words) => words.join('_'),
  (words) => words.join('_').toUpperCase(),
  (words) => words.join('-'),
  (words) => words.join('.'),
  (words) => words.join(' '),
  (words) => words.map((word, index) => (index === 0 ? word : capital(word))).join(''),
  (words) => words.map(capital).join(''),
  (words) => words.map(capital).join('-'),
]
const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)

describe('the name of an identity', () => {
  it.each([
    'account uuid',
    'organization uuid',
    'organization id',
    'organization name',
    'device id',
    'project id',
    'anthropic organization id',
  ])('hides its value in running text, however %s is written', (name) => {
    for (const write of writings.filter((each) => !each(['a', 'b']).includes(' '))) {
      const written = write(name.split(' '))
      expect(ruleOfName(written), written).toMatchObject({ hides: 'field', inText: true })
      expect(redactText(`asked ${written}=plenty-harbor-x1y2z`), written).not.toContain('harbor')
    }
  })

  it.each(['sub', 'user_id', 'note', 'title', 'label'])(
    'does not where it is a word: %s',
    (name) => {
      expect(redactText(`asked ${name}=harbor`)).toContain('harbor')
    },
  )

  it('lets a number of a project stay', () => {
    for (const text of ['asked project_id=1234', 'device_id: 7'])
      expect(redactText(text)).toBe(text)
  })
})

describe('a name hides its value always', () => {
  it.each([
    'password',
    'db password',
    'smtp pass',
    'user pwd',
    'api key',
    'openai api key',
    'access token',
    'aws secret access key',
    'aws access key id',
    'client secret',
    'private key',
    'signing key',
    'authorization',
    'proxy authorization',
    'set cookie',
    'session id',
    'jwt',
    'otp',
    'pin',
    'recovery codes',
    'sentry dsn',
    'slack webhook url',
    'management key',
    'github pat',
    'wpa psk',
    'connection string',
    'code verifier',
  ])('however %s is written', (name) => {
    for (const write of writings)
      expect(hides(write(name.split(' '))), write(name.split(' '))).toBe('always')
  })

  it.each([
    'dbpassword',
    'xapikey',
    'rootpw',
    'bottoken',
    'mysecretvalue',
    'PGPASSWORD',
    'X-Api-Key',
    'apiKeys',
    'password1',
    'token_2',
    '--client-secret',
    'Passwort',
    'contraseña',
    'CONTRASEÑA',
    'пароль',
    'Пароль',
    '密码',
    'db_密码',
  ])('as %s', (name) => {
    expect(hides(name)).toBe('always')
  })

  it('whatever stands before it', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]{1,8}(?:_[a-z]{1,8}){0,3}$/),
        fc.constantFrom('password', 'secret', 'token', 'apikey', 'passphrase'),
        (before, name) => {
          expect(hides(`${before}_${name}`)).toBe('always')
        },
      ),
    )
  })

  it('also at the end of a name that is too long to be read whole', () => {
    expect(hides(`${'a_'.repeat(5_000)}password`)).toBe('always')
  })
})

describe('a name leaves its value', () => {
  it.each([
    'token type',
    'token count',
    'max tokens used',
    'password file',
    'password policy',
    'secret path',
    'auth index',
    'auth method',
    'session timeout',
    'cookie expires',
    'pass rate',
    'key type',
    'primary key',
    'foreign key',
    'cache key',
    'partition key',
    'bypass',
    'passthrough',
    'compass',
    'requests',
    'title',
    'keyboard',
    'author',
    'country code',
    'http status code',
    '',
  ])('as %s does', (name) => {
    for (const write of writings) expect(hides(write(name.split(' ')))).toBe(null)
  })
})

describe('a name hides', () => {
  it.each([
    { name: 'tokens', how: 'text', why: 'a number of tokens is a count' },
    { name: 'total_tokens', how: 'text', why: 'a number of tokens is a count' },
    { name: 'keys', how: 'text', why: 'a number of keys is a count' },
    { name: 'key', how: 'likely', why: 'a key may be a word' },
    { name: 'sort_hash_key', how: 'likely', why: 'nothing known stands before it' },
    { name: 'code', how: 'likely', why: 'a code may be a status' },
    { name: 'state', how: 'likely', why: 'a state may be a word' },
    { name: 'signature', how: 'likely', why: 'a signature may be that of a function' },
    { name: 'secret_name', how: 'likely', why: 'it may hold the secret or speak of it' },
    { name: 'password_field', how: 'likely', why: 'it may hold the secret or speak of it' },
    { name: 'email', how: 'field', why: 'the word is common in prose' },
    { name: 'contact_email', how: 'field', why: 'the word is common in prose' },
    { name: 'account', how: 'field', why: 'the word is common in prose' },
    { name: 'X-Forwarded-For', how: 'field', why: 'it is a name of a header alone' },
  ])('only $how under $name, because $why', ({ name, how }) => {
    expect(hides(name)).toBe(how)
  })

  it.each([
    { name: 'email', kind: 'email' },
    { name: 'userEmail', kind: 'email' },
    { name: 'work-mail', kind: 'email' },
    { name: 'username', kind: 'user' },
    { name: 'phoneNumber', kind: 'user' },
    { name: 'client_ip', kind: 'ip' },
    { name: 'user-agent', kind: 'agent' },
    { name: 'path', kind: 'path' },
    { name: 'account_id', kind: 'secret' },
  ])('a value of kind $kind under $name', ({ name, kind }) => {
    expect(ruleOfName(name)?.kind).toBe(kind)
  })
})

it('a name has the same rule after 20,000 others were asked for', () => {
  const before = ruleOfName('kept_password')
  for (let index = 0; index < 20_001; index += 1)
    ruleOfName(`name${'abcdefghij'[index % 10]}${index}`)

  expect(ruleOfName('kept_password')).toEqual(before)
})

it('in running text no name that hides always or by its look is passed over', () => {
  for (const name of [
    ...['password', 'dbPwd', 'SMTP_PASS', 'client_secret', 'x-api-key', 'id_token', 'creds'],
    ...['Authorization', 'Set-Cookie', 'sid', 'sessionId', 'jwt', 'bearer', 'otp', 'pin', 'dsn'],
    ...['mnemonic', 'Kennwort', 'senha', 'mdp', 'psk', 'webhook', 'recoveryCode', 'state', 'sig'],
    ...['nonce', 'code_verifier', 'salt', 'seed', 'hash', 'DATABASE_URL', 'rootpw', 'gitlab-pat'],
    ...['connectionString', 'stringData', 'пароль', '密码'].map(bytesOf),
  ]) {
    NAME_TRIGGER.lastIndex = 0

    expect(ruleOfName(name)?.hides ?? null, name).toMatch(/always|likely/)
    expect(NAME_TRIGGER.test(`the ${name}: x`), name).toBe(true)
  }
})
