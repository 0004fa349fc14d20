import { describe, expect, it } from 'vitest'
import { createRandom } from '../testing/random.ts'
import { textsOf } from '../testing/texts-of.ts'
import { BLOCK_END, blocksIn } from './blocks.ts'

const random = createRandom(5)
const body = Array.from({ length: 4 }, () => random.bytes(48).toString('base64'))
const begin = (name: string) => `-----BEGIN ${name}-----`
const end = (name: string) => `-----END ${name}-----`
const block = (name: string, lineBreak = '\n') => [begin(name), ...body, end(name)].join(lineBreak)
const found = (text: string) => textsOf(text, blocksIn(text))

const putty = [
  'PuTTY-User-Key-File-3: ssh-ed25519',
  'Encryption: none',
  'Comment: ana',
  'Private-Lines: 1',
  body[0],
  `Private-MAC: ${random.bytes(32).toString('hex')}`,
].join('\n')

describe('a block in armour', () => {
  it.each([
    { what: 'of PKCS #8', block: block('PRIVATE KEY') },
    { what: 'of RSA', block: block('RSA PRIVATE KEY') },
    { what: 'of OpenSSH', block: block('OPENSSH PRIVATE KEY') },
    { what: 'of a certificate', block: block('CERTIFICATE') },
    { what: 'with lines of Windows', block: block('EC PRIVATE KEY', '\r\n') },
    { what: 'with escaped line breaks', block: block('PRIVATE KEY', '\\n') },
    {
      what: 'with headers',
      block: [
        begin('RSA PRIVATE KEY'),
        'Proc-Type: 4,ENCRYPTED',
        'DEK-Info: AES-128-CBC,0011',
        '',
        ...body,
        end('RSA PRIVATE KEY'),
      ].join('\n'),
    },
    {
      what: 'of a message of PGP',
      block: [begin('PGP MESSAGE'), '', ...body, '=aB3d', end('PGP MESSAGE')].join('\n'),
    },
    {
      what: 'of SSH 2',
      block: [
        '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----',
        ...body,
        '---- END SSH2 ENCRYPTED PRIVATE KEY ----',
      ].join('\n'),
    },
    { what: 'of PuTTY', block: putty },
  ])('$what is one stretch, alone and among other text', ({ block }) => {
    expect(found(block)).toEqual([block])
    expect(found(`key: |\n${block}\nnext: 1\n`)).toEqual([block])
    expect(found(`{"key":"${block}","next":1}`)).toEqual([block])
  })

  it('is found as often as it stands there', () => {
    const one = block('PRIVATE KEY')
    const other = block('CERTIFICATE')

    expect(found(`${one}\nbetween\n${other}\n${putty}\n${one}`)).toEqual([one, other, putty, one])
  })

  it('has a value that is a secret by its shape, and no open end', () => {
    const text = block('PRIVATE KEY')

    expect(blocksIn(`x ${text}`)).toEqual([
      { start: 2, end: text.length + 2, kind: 'secret', value: text, certainty: 'shape' },
    ])
  })
})

describe('a block that was cut off', () => {
  const cut = [begin('PRIVATE KEY'), ...body.slice(0, 2)].join('\n')

  it.each([
    { what: 'a sentence', rest: 'and then the log goes on.' },
    { what: 'a line of a log', rest: '2026-11-21T17:31:00Z info ready' },
  ])('ends where $what follows', ({ rest }) => {
    expect(found(`${cut}\n${rest}\n${rest}`)).toEqual([cut])
  })

  it.each(['    ', '> ', '\t', '# ', '| '])('goes on over lines that begin with "%s"', (margin) => {
    const indented = cut.replaceAll('\n', `\n${margin}`)

    expect(found(`${indented}\nthe log goes on.`)).toEqual([indented])
  })

  it('does not take the whole block behind it for its own end', () => {
    const whole = block('CERTIFICATE')

    expect(found(`${cut}\nthe log goes on.\n${whole}\ndone.`)).toEqual([cut, whole])
  })

  it('is open at the end of the text, until the line that closes it', () => {
    const [span, ...more] = blocksIn(`a\n${cut}`)

    expect(more).toEqual([])
    expect(span).toMatchObject({ start: 2, end: cut.length + 2, until: BLOCK_END })
    expect(BLOCK_END.exec(`${body[2]}\n${end('PRIVATE KEY')}\nafter`)?.[0]).toBe(end('PRIVATE KEY'))
  })
})

it.each([
  'the line -----BEGIN and nothing more',
  '-----END PRIVATE KEY-----',
  '----- BEGIN of a list -----',
  '-----BEGIN lower case-----',
  'PuTTY-User-Key-File is a name',
])('%s begins no block', (text) => {
  expect(found(`${text}\n${body[0]}`)).toEqual([])
})
