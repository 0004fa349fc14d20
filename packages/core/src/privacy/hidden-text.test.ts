import { format, inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timesAsLong } from '../testing/times-as-long.ts'
import { errorPlace, maskName, maskText, Redacted } from './hidden-text.ts'

const USER = /^user-[0-9a-f]{4}$/

describe('an address', () => {
  it.each([
    'ana.ruiz@example.com',
    'Ana+tag@Example.COM',
    'أحمد.نور@example.com',
    'ci-runner-eu-west-1-spot-pool-with-a-label-nobody-should-ever-have-written@example.org',
    'codex-11ac898f-ana.ruiz@example.com-pro.json',
    'root@localhost',
    `${'x'.repeat(300)}@${'y'.repeat(300)}.example`,
  ])('%s is hidden whole', (address) => {
    expect(maskText(address)).toMatch(USER)
  })

  it('is hidden wherever it stands, and the rest stays', () => {
    const [first, second] = [maskText('a@b.co'), maskText('c@d.co')]
    expect(maskText('Log in a@b.co, then "c@d.co".')).toBe(`Log in ${first}, then "${second}".`)
    expect(maskText('a@b.co. Next')).toBe(`${first}. Next`)
    expect(first).not.toBe(second)
    expect(maskText('A@B.co')).toBe(first)
  })

  it.each([
    '',
    'Active',
    '16.1 of 41 Plus usable',
    '@',
    'a@',
    '@b',
    'rate @ 5/min',
    'client-9f2c41ab',
    '1,204 req · 12.4M tok',
  ])('is not seen in %j', (text) => {
    expect(maskText(text)).toBe(text)
  })

  it('never survives, whatever is around it', () => {
    const word = fc.stringMatching(/^[a-zé0-9][a-zé0-9._+-]{0,79}$/u)
    fc.assert(
      fc.property(word, word, fc.string(), fc.string(), (local, domain, before, after) => {
        const masked = maskText(`${before} ${local}@${domain} ${after}`)
        expect(masked).not.toContain(`${local}@`)
      }),
    )
  })
})

describe('a name', () => {
  it('is hidden whole, the same each time, and told from another', () => {
    expect(maskName('Zoé Lefèvre (Lyon)')).toMatch(USER)
    expect(maskName('ANA’S LAPTOP')).toBe(maskName('ana’s laptop'))
    expect(maskName('ana')).not.toBe(maskName('bob'))
  })

  it('that is an address has the mark that the address has in a text', () => {
    expect(maskName('ana@example.com')).toBe(maskText('ana@example.com'))
  })
})

describe('a token', () => {
  it.each([
    'sk-proj-abc123def456',
    'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
    'sk-ant-oat01-abcdefghijklmnop',
    'sk-ant-ort01-abcdefghijklmnop',
    'sk-kimi-abcdefghijklmnop',
    'xai-abcdefghijklmnopqrstuvwx',
    'ya29.a0AfH6SM-b_x.cd',
    '1//0gAbCdEfGhIjKlMnOp',
    'GOCSPX-abcdefghijklmnop',
    '0123456789abcdef0123456789abcdef',
    '6fa459ea-ee8a-3ca4-894e-db77e160355e',
  ])('%s is hidden', (token) => {
    expect(maskText(`key ${token}.`)).toMatch(/^key ••••[0-9a-f]{4}\.$/)
  })

  it.each([
    'gpt-5.5-codex-mini-high',
    'direct-quota-and-usage-history',
    '4d7444d22bc687d2',
    'xai-grok-fast-reasoning',
    'https://example.com/1//a',
    '2026-11-20T12:00:00.000Z',
  ])('%s is none', (text) => {
    expect(maskText(text)).toBe(text)
  })

  it('takes time in proportion to the text', () => {
    for (const unit of ['a-', '@']) {
      const of = (count: number) => () => maskText(unit.repeat(count))
      // 32 times the text should take about 32 times as long; quadratic growth would take 1,024 times.
      expect(
        timesAsLong({
          subject: of(320_000),
          neighbour: of(10_000),
          cpuUsage: process.cpuUsage,
        }),
      ).toBeLessThan(300)
    }
  })
})

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

const withStack = (error: Error, stack: string | undefined): Error =>
  Object.defineProperty(error, 'stack', { value: stack })

describe('the place of an error', () => {
  it.each([
    {
      what: 'a frame of a function',
      stack: 'Error: x\n    at read (/home/ana/app/main.js:10:5)\n    at next (/b.js:1:1)',
      expected: 'Error at main.js:10:5',
    },
    {
      what: 'a frame without a function',
      stack: 'Error: x\n    at file:///srv/app/store-writer.js:7:13',
      expected: 'Error at store-writer.js:7:13',
    },
    { what: 'no frames', stack: 'Error: x', expected: 'Error' },
    { what: 'no stack', stack: undefined, expected: 'Error' },
  ])('is the file of $what, without its folder', ({ stack, expected }) => {
    expect(errorPlace(withStack(new Error('x'), stack))).toBe(expected)
  })

  it('says the code where there is one, else the name', () => {
    const coded = Object.assign(new Error('x'), { code: 'ENOSPC' })

    expect(errorPlace(withStack(coded, ''))).toBe('ENOSPC')
    expect(errorPlace(withStack(new TypeError('x'), ''))).toBe('TypeError')
    expect(errorPlace(withStack(Object.assign(new Error('x'), { code: 5 }), ''))).toBe('Error')
  })

  it.each([
    { what: 'one that quotes a key', message: 'sk-secret-token' },
    { what: 'one that reads as a frame', message: 'x\n    at sk-secret-token:1:1\n' },
    { what: 'one with several lines', message: 'first\nsk-secret-token\nlast' },
  ])('never shows the message: $what', ({ message }) => {
    expect(errorPlace(new Error(message))).toMatch(/^Error at hidden-text\.test\.ts:\d+:\d+$/)
  })

  it.each([null, 'sk-secret-token', { message: 'sk-secret-token' }])(
    'says nothing of what is not an error: %j',
    (thrown) => {
      expect(errorPlace(thrown)).toBe('unknown')
    },
  )
})
