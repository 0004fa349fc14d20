import { describe, expect, it } from 'vitest'
import { linesOfRepository, linesOfTools } from '../testing/harmless-lines.ts'
import { createRandom } from '../testing/random.ts'
import { redactText } from '../testing/redact-text.ts'
import { tokens } from '../testing/secrets.ts'

const random = createRandom(20)
const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const surroundings: readonly ((token: string) => string)[] = [
  (token) => token,
  (token) => `found ${token} here`,
  (token) => `"${token}",`,
  (token) => `(${token})`,
  (token) => `id=${token}&x=1`,
  (token) => `see https://h.example/a/${token}/b`,
  (token) => `ends with ${token}.`,
  (token) => `\\n${token}\\n`,
  (token) => `prefix-${token}`,
]

describe('random text', () => {
  it.each(Object.entries(tokens))('of %s does not stay, 2,000 times', (_, make) => {
    const left: string[] = []
    for (let index = 0; index < 2_000; index += 1) {
      const token = make(random)
      const text = surroundings[index % surroundings.length]?.(token) ?? token
      const out = redactText(text)
      for (let at = 0; at + 10 <= token.length; at += 5)
        if (out.includes(token.slice(at, at + 10))) left.push(`${text} -> ${out}`)
    }

    expect(left.slice(0, 5)).toEqual([])
  })
})

it.each([
  ['24 letters, digits and signs above them', 24, '!@#$%^&*'],
  ['24 letters, digits and common signs', 24, '!@#$%^&*()-_=+'],
  ['32 of everything that is printed but quotes', 32, '!#$%&()*+,-./:;<=>?@[]^_{|}~'],
  ['24 letters, digits and dots', 24, '.'],
])('random text of %s does not stay, 2,000 times', (_, length, signs) => {
  const left: string[] = []
  for (let index = 0; index < 2_000; index += 1) {
    const token = random.text(LETTERS_AND_DIGITS + signs, length)
    const text = surroundings[index % surroundings.length]?.(token) ?? token
    const out = redactText(text)
    if (
      Array.from({ length: length - 11 }, (_each, at) => token.slice(at, at + 12)).some((part) =>
        out.includes(part),
      )
    )
      left.push(`${text} -> ${out}`)
  }

  expect(left.slice(0, 5)).toEqual([])
})

describe('harmless text', () => {
  it.each([
    ['of tools', () => linesOfTools(10_000)],
    ['of this repository', linesOfRepository],
  ])('%s stays as it is: 99 of 100 lines at least', (_, lines) => {
    const all = lines().flatMap((line) => line.split('\n'))
    const out = redactText(all.join('\n')).split('\n')
    const changed = all.filter((line, index) => line !== out[index])

    expect(all.length).toBeGreaterThanOrEqual(10_000)
    expect(out).toHaveLength(all.length)
    expect(changed.length / all.length, changed.slice(0, 20).join('\n')).toBeLessThanOrEqual(0.01)
  })

  it.each([
    ['the hash of a commit', 'commit 3f786850e387550fdab836ed7e6dc881de23001b'],
    ['a line of a log of commits', '3f786850e387550fdab836ed7e6dc881de23001b Add a thing'],
    ['a short hash', 'at 3f78685, and 9e90e36c1a2b'],
    ['a checksum', 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [
      'the checksum of a package',
      'integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
    ],
    ['an instant', '2026-11-21T17:31:00.124567Z and 20261121T173100Z and 1763746260124'],
    [
      'a path',
      '/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30 and src/health/evaluate-health.ts:120',
    ],
    ['a version', 'v20.20.2-nightly20261121, 6.1.0-28-amd64, better-sqlite3@12.11.1'],
    ['the key of an account', 'accountKey=4d7444d22bc687d2'],
    ['the index of an auth file', '"authIndex":"c0ffee09a1c2d3e4"'],
    ['the fingerprint of a client', 'client-9f2c41ab'],
    ['the name of a metric', 'svc_quota_monitor_capacity_next_recovery_timestamp_seconds'],
    ['the name of a window', 'extra:codex_bengalfox_mini:week'],
    ['a long word', 'Donaudampfschifffahrtsgesellschaft and incomprehensibilities'],
    ['versions of packages', 'libxml2 2.12.1+dfsg-5+deb12u4 and 0~20171227-0.3+deb12u1'],
    ['a constant', 'SVC_QUOTA_MONITOR_WEEKLY_TO_FIVE_HOUR_MULTIPLIER'],
    ['a name in camel case', 'createQuotaSnapshotEvaluationPipeline'],
    ['a loopback address', '127.0.0.1:4515, [::1]:4515, 0.0.0.0'],
    ['counts of tokens', 'tokens=12345 total_tokens: 99, "max_tokens": 4096'],
  ])('%s stays', (_, text) => {
    expect(redactText(text)).toBe(text)
  })
})

describe('what only looks like a checksum or a commit', () => {
  it.each([
    'md5: Zx81Kq0PlmWn72VbTy5Rc3',
    'sha256=Zx81Kq0PlmWn72VbTy5Rc3',
    'sha512-Zx81Kq0PlmWn72VbTy5Rc3Zx81Kq0PlmWn72VbTy5Rc3',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934c',
    'md5 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'key at 3f786850e387550fdab836ed7e6dc881de23001b',
    'head: 3f786850e387550fdab836ed7e6dc881de23001b',
    'user@3f786850e387550fdab836ed7e6dc881de23001b',
    '3f786850e387550fdab836ed7e6dc881de23001b',
  ])('does not stay: %s', (text) => {
    expect(redactText(text)).toMatch(/^[\w:=@ -]*<secret:[0-9a-f]{12}>$/)
  })
})

it.each([
  'postgres://u:pa/ss-Kelp91@h/x',
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

it.each(['user-0123456789ab', 'secret-0a9bccddeeff'])(
  'a secret that looks like the pseudonym of a file name is one: %s',
  (secret) => {
    for (const text of [
      `password=${secret}`,
      `API_KEY="${secret}"`,
      `Bearer ${secret}`,
      `curl -u a:${secret} h`,
    ])
      expect(redactText(text)).not.toContain(secret)
    expect(redactText(`a ${secret} b`, { known: [secret] })).not.toContain(secret)
    expect(
      redactText('a <secret:0123456789ab> b', { known: ['<secret:0123456789ab>'] }),
    ).not.toContain('0123456789ab')
  },
)

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
