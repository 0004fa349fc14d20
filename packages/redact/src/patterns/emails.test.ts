import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf } from '../byte-text.ts'
import { createPseudonyms } from '../pseudonyms.ts'
import { textsOf } from '../testing/texts-of.ts'
import { emailsIn } from './emails.ts'

const found = (text: string) => textsOf(bytesOf(text), emailsIn(bytesOf(text)))

describe('an address', () => {
  it.each([
    { what: 'at the start and the end of a text', text: 'ana@mail.example' },
    { what: 'at the end of a sentence', text: 'ask ana@mail.example.' },
    { what: 'in angle brackets', text: 'Ana <ana@mail.example>' },
    { what: 'in quotes', text: '{"m":"ana@mail.example"}' },
    { what: 'in single quotes', text: "m='ana@mail.example'" },
    { what: 'in parentheses', text: '(ana@mail.example)' },
    { what: 'in a list', text: 'x,ana@mail.example;y' },
    { what: 'behind a scheme', text: 'mailto:ana@mail.example?subject=x' },
    { what: 'behind a name', text: 'user=ana@mail.example&x=1' },
    { what: 'behind an escaped line break', text: String.raw`a\nana@mail.example\n` },
    { what: 'behind an escaped blank of a URL', text: 'q=%20ana@mail.example' },
    { what: 'behind an escaped sign of JSON', text: String.raw`\u003cana@mail.example\u003e` },
  ])('is found $what', ({ text }) => {
    expect(found(text)).toEqual(['ana@mail.example'])
  })

  it.each([
    'ana.ruiz+news@mail.example',
    'ana_ruiz-7@mail.example',
    'a@mail.example',
    '7@8.example',
    'ana@one.two.three.example',
    'ana@mail-7.example',
    'ANA@MAIL.EXAMPLE',
    'añá@mail.example',
    'ana@büro.example',
    'ana@xn--bro-hoa.example',
    `${'a'.repeat(64)}@mail.example`,
    `ana@${'b'.repeat(63)}.example`,
    '"ana@home"@mail.example',
    '"ana@home.example"@mail.example',
    'ana@[192.0.2.77]',
    'ana@[IPv6:2001:db8::7]',
    'bounce+ana=home.example@list.example',
    'bounces-12-ana=home.example@list.example',
  ])('of any legal form is found whole: %s', (address) => {
    expect(found(`from ${address} today`)).toEqual([address])
  })

  it.each(
    ['%40', '%2540', '%252540', '\\u0040', '\\\\u0040', '\\x40', '\\u{40}', '\\100'].concat([
      '&#64;',
      '&#064;',
      '&#x40;',
      '&#X0040;',
      '&commat;',
      '=40',
    ]),
  )('is found with its sign written as %s, and has the value of the plain one', (sign) => {
    const spans = emailsIn(`from ana${sign}mail.example today`)

    expect(spans.map(({ value }) => value)).toEqual(['ana@mail.example'])
  })

  it.each(['"ana ruiz"@mail.example', String.raw`\"ana ruiz\"@mail.example`])(
    'is found with its name in quotes: %s',
    (address) => {
      expect(found(`from ${address} today`)).toEqual([address])
      expect(found(`{"m":"x","n":"${address}"}`)).toEqual([address])
    },
  )

  it.each([
    '"@mail.example',
    '""@mail.example',
    `"${'a'.repeat(65)}"@mail.example`,
    '"a\nb"@mail.example',
  ])('has one at most 64 characters long, on one line: %j', (text) => {
    expect(found(text)).toEqual([])
  })

  it.each([
    '["x","@mail.example"]',
    '{"a":"@mail.example"}',
    '"x", "@mail.example"',
    '"x" + "@mail.example"',
  ])('does not begin in another text in quotes: %s', (text) => {
    expect(found(text)).toEqual([])
  })

  it('is found with escaped dots in the domain', () => {
    for (const dot of ['%2e', '%2E', '&#46;', '&period;', '\\u002e'])
      expect(found(`ana@mail${dot}example`)).toEqual([`ana@mail${dot}example`])
  })

  it('has the same value in any case', () => {
    expect(
      new Set(emailsIn('Ana@Mail.Example ana@mail.example').map(({ value }) => value)),
    ).toEqual(new Set(['ana@mail.example']))
  })

  it('is found as often as it stands there, however close', () => {
    const addresses = ['a@mail.example', 'b@mail.example', 'c@mail.example']

    for (const separator of [' ', ',', ';', '|', '\n', '/', '><'])
      expect(found(addresses.join(separator))).toEqual(addresses)
  })

  it('is found between any other text, and nothing else is', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[^@%&=\\]{0,20}[ "'<>()[\],;:]$/),
        fc.stringMatching(/^[a-z0-9]{1,10}(?:[._+-][a-z0-9]{1,10}){0,2}$/),
        fc.stringMatching(/^(?:[a-z0-9]{1,10}\.){1,3}[a-z]{3,8}$/),
        fc.stringMatching(/^(?:[ "'<>()[\],;:][^@%&=\\]{0,20})?$/),
        (before, local, domain, after) => {
          fc.pre(!/\.(?:png|jpe?g|gif|svg|webp|ts|js|mjs|service|socket|timer|mount)$/.test(domain))
          fc.pre(!/^\d+x\./.test(domain))

          expect(found(`${before}${local}@${domain}${after}`)).toEqual([`${local}@${domain}`])
        },
      ),
    )
  })
})

describe('the name of an auth file', () => {
  it.each([
    { name: 'codex-ana@mail.example.json', address: 'ana@mail.example' },
    { name: 'codex-1a2b3c4d-ana@mail.example-plus.json', address: 'ana@mail.example' },
    { name: 'claude-ana@mail.example.json', address: 'ana@mail.example' },
    { name: 'gemini-ana.ruiz@mail.example-my_project.json', address: 'ana.ruiz@mail.example' },
    { name: 'ana@mail.example.json', address: 'ana@mail.example' },
    { name: 'codex-codex-ana@mail.example.json', address: 'ana@mail.example' },
    { name: 'colex-ana@mail.example.json', address: 'colex-ana@mail.example' },
  ])('keeps what is not the address: $name', ({ name, address }) => {
    expect(found(`/auths/${name}`).map((text) => text.replace(/^auths\//, ''))).toEqual([address])
  })
})

it.each([
  'logo@2x.png',
  'icon@3x.webp',
  'node@20.1.0',
  'better-sqlite3@12.11.1',
  '@svc/core',
  '@media screen',
  'user@host',
  'getty@tty1.service',
  'backup@daily.timer',
  'import x from "a@b.ts"',
  'a @ mail.example',
  '@mail.example',
  'ana@',
  'ana@-mail.example',
  'ana@mail.e',
  'ana@mail.7',
])('%s is not an address', (text) => {
  expect(found(text)).toEqual([])
})

it('a pseudonym of an address is not an address', () => {
  const pseudonym = createPseudonyms({ keepMap: false }).of('email', 'ana@mail.example')

  expect(found(`from ${pseudonym} and codex-${pseudonym}-plus.json`)).toEqual([])
})
