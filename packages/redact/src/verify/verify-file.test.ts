import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createKnownValues } from '../known/known-values.ts'
import { encoders } from '../testing/encoders.ts'
import { redactFolder } from '../testing/redact-folder.ts'
import { holdsKnown } from './verify-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-verify-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let run = 0
beforeEach(() => {
  run += 1
  mkdirSync(join(folder, `in${run}`))
})
const input = (name = '') => join(folder, `in${run}`, name)
const output = (name = '') => join(folder, `out${run}`, name)

/** The outcome for each file, with the first stage switched off: copies are written as they are. */
async function checked(configured: readonly string[]) {
  const rewrite = async (path: string, target: string) => copyFileSync(path, target)
  const { entries } = await redactFolder(
    { inputs: [input()], output: output(), rewrite },
    configured,
  )
  return entries.map((entry) => `${entry.file.split('/')[1]} ${entry.status}`)
}

describe('the check alone', () => {
  it('refuses a copy with a known value, and leaves nothing of it', async () => {
    writeFileSync(input('a.log'), `quiet\n${encoders.Base64?.('xKelp "9182" <xx>')}\n`)
    writeFileSync(input('z.log'), 'quiet\n')

    expect(await checked(['Kelp "9182" <xx>'])).toEqual(['a.log refused', 'z.log redacted'])
    expect(readdirSync(output(`in${run}`))).toEqual(['z.log'])
  })

  it('refuses what one file names and another tells', async () => {
    writeFileSync(input('a.env'), 'PASSWORD="words of it"\n')
    writeFileSync(input('b.log'), 'it is words of it\n')

    expect(await checked([])).toEqual(['a.env refused', 'b.log refused'])
  })

  it('lets a word pass that is part of a longer one', async () => {
    writeFileSync(input('a.log'), 'blueprint\n')
    writeFileSync(input('b.log'), 'blue\n')

    expect(await checked(['blue'])).toEqual(['a.log redacted', 'b.log refused'])
  })
})

describe('a written copy', () => {
  const known = createKnownValues([
    { value: 'Kelp-9182xx', kind: 'secret', asWord: false },
    { value: 'blue', kind: 'secret', asWord: true },
  ])
  const holds = async (content: string | Buffer) => {
    writeFileSync(input('x'), content)
    const reading = {
      path: input('x'),
      stop: new AbortController().signal,
      onRead: () => undefined,
    }
    return await holdsKnown(reading, known)
  }

  it('is read over the borders of its pieces', async () => {
    for (let before = 65_536 - 14; before < 65_536 + 3; before += 1) {
      expect(await holds(`${'.'.repeat(before)}Kelp-9182xx.`)).toBe(true)
      expect(await holds(`${'.'.repeat(before - 3)}xblue.${'.'.repeat(300_000)}`)).toBe(false)
    }
    expect(await holds(`${'.'.repeat(600_000)}blue`)).toBe(true)
  })

  it('is searched in bytes that are no text', async () => {
    expect(await holds(Buffer.concat([Buffer.from([0, 255, 1]), Buffer.from('Kelp-9182xx')]))).toBe(
      true,
    )
  })

  it('is clean without anything known, and read to its end', async () => {
    expect(await holds('all quiet\n'.repeat(100_000))).toBe(false)
    expect(await holds('')).toBe(false)
  })
})
