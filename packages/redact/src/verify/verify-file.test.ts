import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { bytesOf } from '../byte-text.ts'
import { createCollectedValues } from '../collect/collected-values.ts'
import { type RedactOptions, redactFiles } from '../run/redact-run.ts'
import { containers, secretNames } from '../testing/containers.ts'
import { encoders } from '../testing/encoders.ts'
import { createRandom } from '../testing/random.ts'
import { passwords, tokens } from '../testing/secrets.ts'
import { createLeakFinder } from './leak-finder.ts'
import { verifyFile } from './verify-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-verify-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let run = 0
beforeEach(() => {
  run += 1
  mkdirSync(join(folder, `in${run}`))
})
const input = (name = '') => join(folder, `in${run}`, name)
const output = (name = '') => join(folder, `out${run}`, name)

/** Writes copies as they are: the first stage is switched off. */
const copying: RedactOptions['rewrite'] = async ({ path }, target) => copyFileSync(path, target)

async function checked(configured: readonly string[] = []) {
  const collected = createCollectedValues()
  for (const value of configured) collected.addConfigured(bytesOf(value), 'secret')
  const { entries } = await redactFiles({
    inputs: [input()],
    output: output(),
    collected,
    keepMap: false,
    stop: new AbortController().signal,
    rewrite: copying,
  })
  return entries
}

describe('the check alone', () => {
  it('refuses every file with a secret, in every container and spelling', async () => {
    const random = createRandom(7)
    const configured: string[] = []
    const expected = new Set<string>()
    for (const [index, [, { file, write, takes }]] of Object.entries(containers).entries()) {
      const secret = Object.values(passwords)
        .map((make) => make(random))
        .find((value) => takes?.(value) ?? true)
      if (secret === undefined) continue
      writeFileSync(input(`container-${index}.${file}`), write(random.pick(secretNames), secret))
      expected.add(`container-${index}.${file}`)
    }
    for (const [index, encode] of Object.values(encoders).entries()) {
      const secret = random.pick(Object.values(passwords))(random)
      configured.push(secret)
      writeFileSync(input(`encoder-${index}.log`), `before ${encode(secret)} after\n`)
      expected.add(`encoder-${index}.log`)
    }
    for (const [index, make] of Object.values(tokens).entries()) {
      writeFileSync(input(`token-${index}.log`), `found ${make(random)} here\n`)
      expected.add(`token-${index}.log`)
    }
    writeFileSync(input('clean.log'), 'all quiet\n')
    const entries = await checked(configured)
    const redacted = entries.flatMap(({ status, file }) =>
      status === 'redacted' ? [file.replace(/^in\d+\//, '')] : [],
    )

    expect(redacted).toEqual(['clean.log'])
    expect(entries).toHaveLength(expected.size + 1)
    expect(
      readdirSync(output(), { recursive: true }).filter((name) => String(name).includes('.')),
    ).toEqual([`in${run}/clean.log`])
  })

  it('names the file and the place, never the value', async () => {
    writeFileSync(input('a.log'), `${'x'.repeat(99)} plain words of a key\n`)
    const [entry] = await checked(['plain words of a key'])

    expect(entry).toEqual({
      status: 'refused',
      file: `in${run}/a.log`,
      why: 'still held something known at byte 100 after it was redacted; no copy is left',
    })
    expect(existsSync(output(`in${run}/a.log`))).toBe(false)
  })

  it.each([0, 10, 96 * 1024, 1024 * 1024 - 5, 1024 * 1024 + 3, 3_000_000])(
    'sees what begins at byte %i, and what ends with the file',
    async (offset) => {
      const filler = 'all quiet in the pool at this hour\n'
      const before = filler.repeat(Math.ceil(offset / filler.length)).slice(0, offset)
      writeFileSync(input('begin.log'), `${before}words of a key\nrest\n`)
      writeFileSync(input('end.log'), `${before} words of a key`)

      expect((await checked(['words of a key'])).map(({ status }) => status)).toEqual([
        'refused',
        'refused',
      ])
    },
  )
})

describe('a file is checked', () => {
  const SECRET = 'words of a key'
  const finder = createLeakFinder([{ value: SECRET, kind: 'secret', asWord: false }])
  const leakIn = async (content: string | Buffer) => {
    writeFileSync(input('a.log'), content)
    return verifyFile(input('a.log'), { finder, stop: new AbortController().signal })
  }

  it.each([0, 1, 100, 1024 * 1024 - 14, 1024 * 1024 - 7, 1024 * 1024, 2 * 1024 * 1024 + 5])(
    'and a value at byte %i is a leak there',
    async (offset) => {
      expect(await leakIn(`${'x'.repeat(offset)}${SECRET}${'y'.repeat(99)}`)).toEqual({ offset })
    },
  )

  it('and the first leak is the one that is named', async () => {
    expect(await leakIn(`a ${SECRET} ${'x'.repeat(2_000_000)} ${SECRET}`)).toEqual({ offset: 2 })
  })

  it.each(['', 'x', 'words of a ke', 'quiet\n'.repeat(400_000)])(
    'and has no leak where nothing known is in it',
    async (content) => {
      expect(await leakIn(content)).toBe(null)
    },
  )

  it('byte by byte to its end, each counted once', async () => {
    writeFileSync(input('a.log'), 'quiet\n'.repeat(500_000))
    let read = 0
    await verifyFile(input('a.log'), {
      finder,
      stop: new AbortController().signal,
      onRead: (bytes) => {
        read += bytes
      },
    })

    expect(read).toBe(3_000_000)
  })

  it('until it is stopped', async () => {
    writeFileSync(input('a.log'), 'quiet\n'.repeat(500_000))
    const stop = new AbortController()
    const work = verifyFile(input('a.log'), {
      finder,
      stop: stop.signal,
      onRead: () => stop.abort(),
    })

    await expect(work).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
  })
})

describe('whatever is known, a copy holds no', () => {
  const random = createRandom(13)
  const drawn = (length: number) =>
    random.text('ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789', length)
  const begin = (name: string) => `-----BEGIN ${name}-----`
  const part = (content: string) => Buffer.from(content).toString('base64url')
  const leakIn = async (content: string) => {
    writeFileSync(input('a.log'), content)
    return verifyFile(input('a.log'), {
      finder: createLeakFinder([]),
      stop: new AbortController().signal,
    })
  }

  it.each([
    {
      what: 'private key',
      text: `${begin('RSA PRIVATE KEY')}\n${drawn(64)}\n`,
    },
    {
      what: 'private key in JSON',
      text: `${begin('PRIVATE KEY')}\\n${drawn(64)}\\n`,
    },
    {
      what: 'token of three parts',
      text: `${part('{"alg":"RS256","kid":"1"}')}.${part('{"sub":"ana of lyon"}')}.${drawn(43)}`,
    },
    { what: 'key of Anthropic', text: `sk-${'ant'}-${drawn(24)}` },
    { what: 'key of OpenAI', text: `sk-${'proj'}-${drawn(24)}` },
    { what: 'token of GitHub', text: `gh${'p'}_${drawn(36)}` },
  ])('$what', async ({ text }) => {
    expect(await leakIn(`found ${text} here`)).toEqual({ offset: 6 })
    expect(await leakIn(`found x${text} here`)).toEqual(
      text.startsWith('-----') ? { offset: 7 } : null,
    )
  })

  it.each([
    { what: 'the first line of a key alone', text: `${begin('PRIVATE KEY')}\nremoved\n` },
    { what: 'a certificate', text: `${begin('CERTIFICATE')}\n${drawn(64)}\n` },
    { what: 'a prefix of a vendor', text: `sk-${'ant'}-${drawn(23)}` },
    { what: 'a token with a letter less', text: `gh${'p'}_${drawn(35)}` },
    { what: 'a token with a letter more', text: `gh${'p'}_${drawn(37)}` },
  ])('but $what may be there', async ({ text }) => {
    expect(await leakIn(`found ${text} here`)).toBe(null)
  })
})
