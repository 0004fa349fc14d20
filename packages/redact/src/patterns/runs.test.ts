import { describe, expect, it } from 'vitest'
import { linesOfRepository, linesOfTools } from '../testing/harmless-lines.ts'
import { createRandom } from '../testing/random.ts'
import { redactText } from '../testing/redact-text.ts'
import { tokens } from '../testing/secrets.ts'
import { surroundings } from '../testing/surroundings.ts'
import { textsOf } from '../testing/texts-of.ts'
import { randomRunsIn } from './runs.ts'

const random = createRandom(20)
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

describe('a run', () => {
  const drawn = 'Zx81Kq0PlmWn72VbTy5Rc3'
  const base64 = createRandom(2).bytes(48).toString('base64')
  const found = (text: string) => textsOf(text, randomRunsIn(text))

  it.each([
    { what: 'alone', text: drawn, runs: [drawn] },
    { what: 'behind a name', text: `id=${drawn}`, runs: [drawn] },
    { what: 'with its padding', text: `x ${drawn}== y`, runs: [`${drawn}==`] },
    { what: 'behind a tilde', text: `~${drawn}~`, runs: [drawn] },

    {
      what: 'in a long path of words',
      text: `/archive/collected/evaluation/${drawn}/entries/published`,
      runs: [drawn],
    },
    {
      what: 'in a path that is mostly random, with the path',
      text: `/archive/${drawn}/entries`,
      runs: [`/archive/${drawn}/entries`],
    },
    { what: 'of Base64 with slashes, whole', text: `x ${base64} y`, runs: [base64] },
    { what: 'of Base64 behind a name', text: `x=${base64}`, runs: [base64] },
    { what: 'twice', text: `${drawn} ${drawn}`, runs: [drawn, drawn] },
    { what: 'that is too short', text: `x ${drawn.slice(0, 17)} y`, runs: [] },
    {
      what: 'that an entity cuts short',
      text: `${drawn.slice(0, 12)}&${drawn.slice(12)}`,
      runs: [],
    },
  ])('$what is found', ({ text, runs }) => {
    expect(found(text)).toEqual(runs)
  })

  it('is a secret by its shape, with its text as its value', () => {
    expect(randomRunsIn(`x ${drawn}`)).toEqual([
      { start: 2, end: 24, kind: 'secret', value: drawn, certainty: 'shape' },
    ])
  })

  it.each([
    { name: 'md5', digits: 32 },
    { name: 'sha1', digits: 40 },
    { name: 'sha224', digits: 56 },
    { name: 'sha256', digits: 64 },
    { name: 'sha384', digits: 96 },
    { name: 'sha512', digits: 128 },
    { name: 'blake2b', digits: 128 },
    { name: 'blake3', digits: 64 },
  ])(
    'of $digits hexadecimal digits is a checksum behind $name, and of one less it is not',
    (row) => {
      const hash = createRandom(3).text('0123456789abcdef', row.digits)
      for (const sign of [':', '=', ': ', '@', ' - '])
        expect(found(`${row.name}${sign}${hash}`), sign).toEqual([])

      expect(found(`${row.name}:${hash.slice(1)}`)).toEqual([hash.slice(1)])
      expect(found(`${row.name}:${hash}0`)).toEqual([`${hash}0`])
    },
  )

  it('of 40 small hexadecimal digits is a commit where Git prints one', () => {
    const hash = createRandom(4).text('0123456789abcdef', 40)
    for (const text of [
      `commit ${hash}`,
      `tree ${hash}\nparent ${hash}\nmerge ${hash}`,
      `${hash} Add a thing\n${hash} Remove it`,
    ])
      expect(found(text), text).toEqual([])

    for (const before of ['key ', 'commits ', 'commit=', 'a tree '])
      expect(found(`${before}${hash}`), before).toEqual([hash])
    expect(found(`commit ${hash.toUpperCase()}`)).toEqual([hash.toUpperCase()])
    expect(found(`x\n${hash}\ny`)).toEqual([hash])
  })

  it('may be the checksum of a lock file, and then what is added to it is one no longer', () => {
    const sum = createRandom(5).bytes(64).toString('base64')

    expect(found(`integrity sha512-${sum}`)).toEqual([])
    expect(found(`"sha512-${sum}"`)).toEqual([])
    expect(found(`integrity sha512-${sum.slice(4)}`)).not.toEqual([])
    expect(found(`integrity sha384-${sum}`)).not.toEqual([])
  })

  it('has the same pseudonym in a long path and elsewhere, and the path keeps its slashes', () => {
    const [path = '', alone] = redactText(
      `GET /archive/collected/evaluation/${drawn}/entries/published\n${drawn}`,
    ).split('\n')

    expect(path).toBe(`GET /archive/collected/evaluation/${alone}/entries/published`)
  })
})
