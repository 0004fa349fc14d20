import { describe, expect, it } from 'vitest'
import { redactText } from '../testing/redact-text.ts'
import { textsOf } from '../testing/texts-of.ts'
import { userInfoIn } from './user-info.ts'

const found = (text: string) => textsOf(text, userInfoIn(text))

describe('user and password of a URL', () => {
  it.each([
    { what: 'alone', text: 'https://ana:Kelp91@h.example', info: 'ana:Kelp91' },
    { what: 'with a path', text: 'see https://ana:Kelp91@h.example/a?b#c now', info: 'ana:Kelp91' },
    { what: 'in quotes', text: '"https://ana:Kelp91@h.example"', info: 'ana:Kelp91' },
    {
      what: 'with slashes of PHP',
      text: String.raw`"https:\/\/ana:Kelp91@h.example\/x"`,
      info: 'ana:Kelp91',
    },
    { what: 'of a database', text: 'postgres://ana:Kelp91@db:5432/x', info: 'ana:Kelp91' },
    { what: 'without a user', text: 'redis://:Kelp91@cache:6379', info: ':Kelp91' },
    {
      what: 'without a password',
      text: 'https://ghp0123456789@h.example/x',
      info: 'ghp0123456789',
    },
    { what: 'of a host by its number', text: 'http://ana:Kelp91@[::1]:80/', info: 'ana:Kelp91' },
    { what: 'of a host in a variable', text: 'http://ana:Kelp91@$HOST/', info: 'ana:Kelp91' },
    { what: 'with an at sign', text: 'https://ana:Kel@p91@h.example/x', info: 'ana:Kel@p91' },
    { what: 'with a slash', text: 'https://ana:Kel/p91@h.example/x', info: 'ana:Kel/p91' },
    { what: 'with a question mark', text: 'https://ana:Kel?p91@h.example', info: 'ana:Kel?p91' },
    { what: 'with a number sign', text: 'https://ana:Kel#p91@h.example', info: 'ana:Kel#p91' },
    { what: 'with a blank', text: 'https://ana:Kel p91@h.example', info: 'ana:Kel p91' },
    { what: 'with a quote', text: 'x https://ana:Kel"p91@h.example y', info: 'ana:Kel"p91' },
    {
      what: 'that begins with digits',
      text: 'https://ana:91827364/p@h.example',
      info: 'ana:91827364/p',
    },
    { what: 'with another URL behind it', text: 'a://u:Kelp@h b://h/@x', info: 'u:Kelp' },
  ])('$what are one stretch', ({ text, info }) => {
    expect(found(text)).toEqual([info])
  })

  it('of a user that is an address are hidden, and the password is known as well', () => {
    const [span] = userInfoIn('smtp://me@mail.example:Kelp91@h:25')

    expect(span).toMatchObject({ value: 'me@mail.example:Kelp91', certainty: 'named' })
    expect(span?.parts).toContain('Kelp91')
  })

  it('have the password as a part, as it is written and as it reads', () => {
    expect(userInfoIn('https://ana:K%65lp%2F91@h.example')[0]?.parts).toEqual([
      'K%65lp%2F91',
      'Kelp/91',
    ])
  })

  it('are found in every URL of a text', () => {
    expect(found('a://u:one1@h, b://u:two2@h/\nc://u:three3@h')).toEqual([
      'u:one1',
      'u:two2',
      'u:three3',
    ])
  })

  it.each([
    { length: 512, count: 0 },
    { length: 511, count: 0 },
    { length: 500, count: 1 },
  ])('of $length characters are found $count times: a host must follow within 512', (row) => {
    expect(found(`a://u:${'k'.repeat(row.length - 2)}@h.example/`)).toHaveLength(row.count)
  })
})

it.each([
  'postgres://u:pa/ss-Kelp91@h/x',
  'postgresql://u:Kelp91@h:5432/x?sslmode=verify-full',
  'POSTGRES://u:Kelp91@h/x',
  'jdbc:postgresql://u:Kelp91@h/x',
  '"state_db":"postgres:\\/\\/u:Kelp91@h\\/x"',
  'postgres://u:pa|ss-Kelp91@h/x',
  'postgres://u:pa"ss-Kelp91@h/x',
  'postgres://u:pa<ss-Kelp91@h/x',
  'postgres://u:pa ss-Kelp91@h/x',
  'postgres://u:Kel@p91-xx@h/x',
  'smtp://me@example.org:Velvet-Kelp91@h:25',
  'jdbc:oracle:thin:u/Kelp91.x@h:1521/x',
])('the password in %s does not stay', (text) => {
  const out = redactText(`see ${text} for more`)

  expect(out).not.toMatch(/Kelp|p91/)
  expect(out).toMatch(/@h/)
})

it.each([
  'https://h.example/a/@scope/b',
  'http://localhost:4515/x mail',
  'http://[::1]:4515/ and a@b',
  'see https://h.example: a @ b',
])('%s has no password', (text) => {
  expect(redactText(text)).toBe(text)
})

it.each([
  'http://localhost:8317/v0?mail=ana@mail.example',
  'https://h.example/@scope/package',
  'https://h.example:443/a@b',
  'https://h.example/?to=ana@mail.example',
  'https://@h.example/',
  'file:///home/ana@work/x',
  'a:// b@c',
  'ana@mail.example: https',
])('nothing is hidden in %s', (text) => {
  expect(found(text)).toEqual([])
})

it.each([
  'state_db = "postgres://h/x?password=Kelp91.x"',
  'jdbc:postgresql://h/x?user=u&password=Kelp91.x&ssl=true',
  'host=h user=u password=Kelp91.x dbname=x',
  "host='h' password='Kelp91.x yes'",
  'PGPASSWORD=Kelp91.x psql -h h',
  'export PGPASSWORD="Kelp91.x"',
  'state_db_password: Kelp91.x',
])('nor does the password in %s', (text) => {
  expect(redactText(text)).not.toMatch(/Kelp/)
})
