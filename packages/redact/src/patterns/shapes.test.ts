import { describe, expect, it } from 'vitest'
import { createRandom } from '../testing/random.ts'
import { redactText } from '../testing/redact-text.ts'
import { textsOf } from '../testing/texts-of.ts'
import { credentialsIn, shapesIn } from './shapes.ts'

const random = createRandom(11)
const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const CAPITALS = SMALL.toUpperCase()
const MIXED = `${CAPITALS}${SMALL}0123456789`
const URL_SAFE = `${MIXED}_-`

const found = (text: string) => textsOf(text, shapesIn(text))
const kindsIn = (text: string) => shapesIn(text).map(({ kind }) => kind)
const jwt = ['{"alg":"RS256"}', '{"sub":"ana","exp":1900000000}', 'a signature of some bytes']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.')

describe('a token', () => {
  it.each([
    { what: 'of three parts', text: jwt, token: jwt },
    { what: 'of five parts', text: `${jwt}.aB3.cD4`, token: `${jwt}.aB3.cD4` },
    {
      what: 'that was cut after its head',
      text: jwt.split('.')[0] ?? '',
      token: jwt.split('.')[0],
    },
    { what: 'in a query', text: `?t=${jwt}&x=1`, token: jwt },
    { what: 'behind an escape', text: `\\n${jwt}\\n`, token: jwt },
  ])('$what is found', ({ text, token }) => {
    expect(found(text)).toEqual([token])
  })

  it.each(['eyelashes.example', 'eye-catching', 'keyJustification', 'eyes', 'monkeyJumpingHigh'])(
    'is not %s',
    (text) => {
      expect(found(text)).toEqual([])
    },
  )
})

describe('the hash of a password', () => {
  const hash = random.text(`${MIXED}./`, 40)

  it.each([
    `$2b$12$${hash}`,
    `$2y$10$${hash}`,
    `$argon2id$v=19$m=65536,t=3,p=4$${hash}`,
    `$6$rounds=5000$${hash}`,
    `$5$${hash}`,
    `$1$${hash}`,
    `$apr1$${hash}`,
    `$y$j9T$${hash}`,
    `$scrypt$ln=16,r=8,p=1$${hash}`,
    `$pbkdf2-sha256$29000$${hash}`,
    `{SSHA}${hash}`,
    `{SHA512}${hash}`,
    `{CRYPT}${hash}`,
  ])('in the form %s is found', (text) => {
    expect(found(`ana:${text}:19000:0`)).toEqual([text])
    expect(found(text)).toEqual([text])
  })

  it.each(['$1$', '$2.50 and $3', '{SHA}', '$5$short', '$argon$', '{MD5}x'])(
    'is not %s',
    (text) => {
      expect(found(text)).toEqual([])
    },
  )
})

describe('credentials of a header', () => {
  const basic = Buffer.from('ana:Kelp:9182').toString('base64')

  it.each([
    { text: 'Authorization: Bearer abc123', secret: 'abc123' },
    { text: 'authorization: bearer aB3dEf6', secret: 'aB3dEf6' },
    { text: 'Bearer%20abc123', secret: 'abc123' },
    { text: 'Bearer+abc123', secret: 'abc123' },
    { text: 'Bearer   abc123', secret: 'abc123' },
    { text: 'Bearer token=abc123', secret: 'abc123' },
    { text: '"Bearer abc123"', secret: 'abc123' },
    { text: `Basic ${basic}`, secret: basic },
    { text: `basic%20${basic}`, secret: basic },
  ])('is found in $text', ({ text, secret }) => {
    expect(found(text)).toEqual([secret])
  })

  it('of Basic knows the password in it', () => {
    expect(shapesIn(`Basic ${basic}`)[0]?.parts).toContain('Kelp:9182')
  })

  it.each([
    'Bearer token',
    'the bearer of news',
    'Bearer authentication is used',
    'Basic authentication',
    'basic usage and basic Examples',
    'token_type: bearer, expires_in: 3600',
  ])('is not in %s', (text) => {
    expect(found(text)).toEqual([])
  })
})

describe('credentials of an address', () => {
  it.each([
    { text: 'https://ana:Kelp91@h.example/x', secret: 'ana:Kelp91' },
    { text: String.raw`https:\/\/ana:Kelp91@h.example`, secret: 'ana:Kelp91' },
    { text: 'https://ana:Kelp91%40h.example', secret: 'ana:Kelp91' },
    { text: 'jdbc:oracle:thin:ana/Kelp91@h:1521/x', secret: 'ana/Kelp91' },
    { text: 'dial ana:Kelp91@h.example:5432', secret: 'ana:Kelp91' },
    { text: 'dial ana:Kelp91@cache/0', secret: 'ana:Kelp91' },
    {
      text: 'https://hooks.slack.com/services/T0/B0/Kelp9182xx',
      secret: 'T0/B0/Kelp9182xx',
    },
    {
      text: 'https://hooks.slack.com/triggers/T0/123/Kelp9182xx',
      secret: 'T0/123/Kelp9182xx',
    },
    {
      text: 'https://discord.com/api/v10/webhooks/10/Kelp9182xx',
      secret: '10/Kelp9182xx',
    },
    {
      text: 'https://discord.com/api/webhooks/10/Kelp9182xx',
      secret: '10/Kelp9182xx',
    },
  ])('are found in $text', ({ text, secret }) => {
    expect(found(text)).toEqual([secret])
  })

  it.each([
    'https://h.example/a@b',
    'https://h.example:443/x',
    'at 12:30@noon',
    'see a:b and c@d',
    'https://hooks.slack.com/',
    'jdbc:oracle:thin:@h:1521:x',
  ])('are not in %s', (text) => {
    expect(found(text)).toEqual([])
  })

  it('have the password as a part, also as it reads without its percent signs', () => {
    expect(credentialsIn('ana:K%40p:1')).toEqual(['K%40p:1', 'K@p:1'])
    expect(credentialsIn('ana')).toEqual([])
  })
})

describe('the token of a bot', () => {
  const rest = `AA${random.text(URL_SAFE, 33)}`

  it.each([
    { digits: 7, count: 0 },
    { digits: 8, count: 1 },
    { digits: 10, count: 1 },
    { digits: 11, count: 0 },
  ])('with $digits digits in front is found $count times', ({ digits, count }) => {
    expect(found(`bot ${'123456789012'.slice(0, digits)}:${rest} x`)).toHaveLength(count)
  })
})

describe('what says who or where', () => {
  const uuid = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'

  it.each([
    { kind: 'uuid', text: uuid, value: uuid },
    { kind: 'uuid', text: `{"id":"${uuid}"}`, value: uuid },
    { kind: 'uuid', text: `urn:uuid:${uuid.toUpperCase()}`, value: uuid.toUpperCase() },
    { kind: 'uuid', text: `\\n${uuid}`, value: uuid },
    { kind: 'uuid', text: `%20${uuid}`, value: uuid },
    { kind: 'uuid', text: `user-${uuid}`, value: uuid },
    { kind: 'mac', text: 'eth 00:1b:44:11:3a:b7 up', value: '00:1b:44:11:3a:b7' },
    { kind: 'mac', text: '00-1B-44-11-3A-B7', value: '00-1B-44-11-3A-B7' },
    { kind: 'ip', text: 'from 203.0.113.77 now', value: '203.0.113.77' },
    { kind: 'ip', text: '203.0.113.77:8080', value: '203.0.113.77' },
    { kind: 'ip', text: '203.0.113.77/24', value: '203.0.113.77' },
    { kind: 'ip', text: 'at 203.0.113.77.', value: '203.0.113.77' },
    { kind: 'ip', text: '/var/log/203.0.113.77.log', value: '203.0.113.77' },
    { kind: 'ip', text: 'access-203.0.113.77.log.1', value: '203.0.113.77' },
    { kind: 'ip', text: 'ip-203.0.113.77', value: '203.0.113.77' },
    { kind: 'ip', text: String.raw`\n203.0.113.77`, value: '203.0.113.77' },
    { kind: 'ip', text: '[2001:db8::42:77]:80', value: '2001:db8::42:77' },
    { kind: 'ip', text: 'fe80::1ff:fe23:4567:890a', value: 'fe80::1ff:fe23:4567:890a' },
    { kind: 'ip', text: '::ffff:203.0.113.77 x', value: '::ffff:203.0.113.77' },
    { kind: 'ip', text: 'peer:2001:db8::1 x', value: '2001:db8::1' },
    { kind: 'ip', text: 'tcp6:2001:db8:0:0:0:0:2:1 x', value: '2001:db8:0:0:0:0:2:1' },
    { kind: 'mac', text: 'dev-00:1b:44:11:3a:b7', value: '00:1b:44:11:3a:b7' },
    { kind: 'user', text: '/home/ana/x', value: 'ana' },
    { kind: 'user', text: '/Users/ana', value: 'ana' },
    { kind: 'user', text: String.raw`C:\Users\ana\x`, value: 'ana' },
    { kind: 'user', text: String.raw`"C:\\Users\\ana\\x"`, value: 'ana' },
    { kind: 'user', text: String.raw`C:\Users\Ana Maria Ruiz\x`, value: 'Ana Maria Ruiz' },
    { kind: 'user', text: String.raw`"C:\\Users\\Ana Ruiz\\x"`, value: 'Ana Ruiz' },
    { kind: 'user', text: String.raw`copy C:\Users\ana to D:/x`, value: 'ana' },
    { kind: 'user', text: String.raw`\\server\Users\ana\x`, value: 'ana' },
    { kind: 'user', text: 'C:/Users/ana/x', value: 'ana' },
    { kind: 'user', text: 'file=%2fhome%2fana%2fx', value: 'ana' },
    { kind: 'user', text: 'file=%2Fhome%2Fana%2Fx', value: 'ana' },
    { kind: 'user', text: String.raw`"\/home\/ana\/x"`, value: 'ana' },
  ])('$kind is found in $text', ({ kind, text, value }) => {
    expect(kindsIn(text)).toContain(kind)
    expect(found(text)).toContain(value)
    expect(shapesIn(text).every(({ certainty }) => certainty === 'here')).toBe(true)
  })

  it('is found in every place of a list of addresses', () => {
    const hosts = ['203.0.113.7', '198.51.100.255', '192.0.2.1', '10.0.0.12']

    for (const separator of [',', ', ', ';', ' ', '|', '\n'])
      expect(found(`for=${hosts.join(separator)}`), separator).toEqual(hosts)
    expect(found(`${hosts[0]}-${hosts[1]}`)).toEqual(hosts.slice(0, 2))
    expect(found('1,203.0.113.7 and 1-203.0.113.7')).toEqual([])
  })

  it.each([
    { what: 'an identifier of 16 digits', text: 'accountKey=4d7444d22bc687d2' },
    { what: 'a UUID without its last digit', text: uuid.slice(0, -1) },
    { what: 'a UUID with a digit more', text: `${uuid}0` },
    { what: 'a UUID inside of a word', text: `x${uuid}` },
    { what: 'a time with seconds', text: '17:31:00 and 00:17:31' },
    { what: 'seven pairs of digits', text: '00:1b:44:11:3a:b7:00 00-1b-44-11-3a-b7-00' },
    { what: 'a version of four numbers', text: 'v1.2.3.4 and 1.2.3.4.5 and 1.2.3.4rc1' },
    { what: 'a version in the name of an archive', text: 'kelp_1.2.3.4.tar.gz kelp_1.2.3.4.json' },
    { what: 'a number above 255', text: '203.0.113.256' },
    { what: 'a loopback address', text: '127.0.0.1:4515 [::1]:4515 0.0.0.0 255.255.255.0' },
    { what: 'a path in code', text: 'std::string::npos and a::b and a1:b2::c3d4e' },
    { what: 'the folder of everybody', text: '/Users/Shared/x and /home/ and C:\\Users\\Public' },
    { what: 'a word', text: '/homework/ana' },
  ])('$what is not', ({ text }) => {
    expect(found(text)).toEqual([])
  })
})

it('what was replaced is not found again', () => {
  const text = [
    `sk-${random.text(URL_SAFE, 20)}7`,
    jwt,
    'Bearer abc123',
    'https://ana:Kelp91@h.example/x',
    '203.0.113.77 00:1b:44:11:3a:b7 6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
    '/home/ana/x',
  ].join('\n')
  const once = redactText(text)

  expect(once).not.toMatch(/Kelp|abc123|\bana\b|203\.0|1b:44|6f9619ff|eyJ|sk-/)
  expect(redactText(once)).toBe(once)
})

it.each([
  ['a UUID', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', /^<uuid:[0-9a-f]{12}>$/],
  ['an address', 'ana.ruiz@mail.example', /^user-[0-9a-f]{12}@redacted\.invalid$/],
  [
    'the name of an auth file',
    'codex-1a2b3c4d-ana@mail.example-plus.json',
    /^codex-1a2b3c4d-user-[0-9a-f]{12}@redacted\.invalid-plus\.json$/,
  ],
  [
    'an older name of an auth file',
    'codex-ana@mail.example.json',
    /^codex-user-[0-9a-f]{12}@redacted\.invalid\.json$/,
  ],
  ['an IPv4 address', '203.0.113.77', /^<ip:[0-9a-f]{12}>$/],
  ['an IPv6 address', '2001:db8::42:77', /^<ip:[0-9a-f]{12}>$/],
  ['a MAC address', '00:1b:44:11:3a:b7', /^<mac:[0-9a-f]{12}>$/],
  ['a home folder', '/home/ana/auths', /^\/home\/<user:[0-9a-f]{12}>\/auths$/],
  ['a folder of Windows', String.raw`C:\Users\ana\x`, /^C:\\Users\\<user:[0-9a-f]{12}>\\x$/],
  [
    'a variable with its name',
    'OPENAI_API_KEY=sk-proj-Ab3dEf6hIj9kLm2nOp5q',
    /^OPENAI_API_KEY=<secret:[0-9a-f]{12}>$/,
  ],
  [
    'a variable with a value without a prefix',
    'OPENAI_API_KEY=abcdEFGH1234abcdEFGH1234',
    /^OPENAI_API_KEY=<secret:[0-9a-f]{12}>$/,
  ],
])('%s becomes a pseudonym that still says what it was', (_, text, shape) => {
  expect(redactText(text)).toMatch(shape)
})
