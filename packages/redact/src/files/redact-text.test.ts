import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bytesOf } from '../byte-text.ts'
import { createCollectedValues } from '../collect/collected-values.ts'
import type { TextKind } from '../document/document.ts'
import { createKnownValues } from '../known/known-values.ts'
import { createPseudonyms } from '../pseudonyms.ts'
import { openInput } from './input.ts'
import { collectText, rewriteText } from './redact-text.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-text-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let count = 0

async function withFile<Result>(
  { name = 'a.log', kind = 'text', content }: TextOf,
  work: (file: Parameters<typeof collectText>[0], read: number[]) => Promise<Result>,
): Promise<Result> {
  count += 1
  const path = join(folder, `${count}-${name}`)
  writeFileSync(path, content)
  const input = await openInput(path)
  const read: number[] = []
  try {
    return await work(
      {
        input,
        path,
        kind,
        stop: new AbortController().signal,
        onRead: (bytes) => read.push(bytes),
      },
      read,
    )
  } finally {
    await input.close()
  }
}
interface TextOf {
  readonly name?: string
  readonly kind?: TextKind
  readonly content: string | Buffer
}

const collectedFrom = (text: TextOf) =>
  withFile(text, async (file) => {
    const collected = createCollectedValues()
    await collectText(file, collected)
    return collected.values().map(({ value }) => value)
  })
const copyOf = (text: TextOf, known: readonly string[] = []) =>
  withFile(text, async (file) => {
    const output = `${file.path}.copy`
    await rewriteText(file, output, {
      known: createKnownValues(
        known.map((value) => ({ value: bytesOf(value), kind: 'secret', asWord: false })),
      ),
      pseudonyms: createPseudonyms({ keepMap: false }),
    })
    return output
  })

describe('the first pass', () => {
  it('remembers what the file names as a secret', async () => {
    expect(await collectedFrom({ content: 'password=Kelp-9182xx\nall quiet\n' })).toEqual([
      'Kelp-9182xx',
    ])
  })

  it('reads settings by the name of the file', async () => {
    const content = 'smtp:\n  username: ana-of-lyon\n'

    expect(await collectedFrom({ name: 'a.yaml', content })).toEqual(['ana-of-lyon'])
    expect(await collectedFrom({ name: 'a.log', content })).toEqual([])
  })

  it('remembers a secret over the border of two pieces', async () => {
    const content = `${'x\n'.repeat(131_064)}password=Kelp-9182xx-over-the-border\nquiet\n`

    expect(await collectedFrom({ content })).toEqual(['Kelp-9182xx-over-the-border'])
  })
})

describe('the second pass', () => {
  it('writes everything but what is hidden, byte for byte', async () => {
    const content = Buffer.concat([
      Buffer.from('caf\u00e9\r\n\t'),
      Buffer.from([0xe9, 0x80]),
      Buffer.from(' Kelp-9182xx \u{1F600} end'),
    ])
    const copy = readFileSync(await copyOf({ content }, ['Kelp-9182xx'])).toString('latin1')
    const [before, after] = content.toString('latin1').split('Kelp-9182xx')

    expect(copy.replace(/<secret:[0-9a-f]{12}>/, 'Kelp-9182xx')).toBe(
      `${before}Kelp-9182xx${after}`,
    )
    expect(copy).not.toContain('9182')
  })

  it('gives one pseudonym to one value in all pieces', async () => {
    const line = 'all quiet, Kelp-9182xx\n'
    const copy = readFileSync(
      await copyOf({ content: line.repeat(30_000) }, ['Kelp-9182xx']),
      'utf8',
    )

    expect(new Set(copy.match(/<secret:\w{12}>/g)).size).toBe(1)
    expect(copy.match(/<secret:\w{12}>/g)).toHaveLength(30_000)
  })

  it('makes a copy that only its owner may read', async () => {
    expect(statSync(await copyOf({ content: 'quiet' })).mode & 0o777).toBe(0o600)
  })

  it('does not write over a file', async () => {
    await withFile({ content: 'quiet' }, async (file) => {
      const context = {
        known: createKnownValues([]),
        pseudonyms: createPseudonyms({ keepMap: false }),
      }

      await expect(rewriteText(file, file.path, context)).rejects.toMatchObject({ code: 'EEXIST' })
    })
  })
})

it.each([
  {
    what: 'collecting',
    work: (file: Parameters<typeof collectText>[0]) => collectText(file, createCollectedValues()),
  },
  {
    what: 'rewriting',
    work: (file: Parameters<typeof collectText>[0]) =>
      rewriteText(file, `${file.path}.copy`, {
        known: createKnownValues([]),
        pseudonyms: createPseudonyms({ keepMap: false }),
      }),
  },
])('$what counts each byte once, and stops at a zero byte wherever it is', async ({ work }) => {
  const quiet = Buffer.alloc(600_000, 'all quiet\n')
  await withFile({ content: quiet }, async (file, read) => {
    await work(file)

    expect(read.reduce((sum, bytes) => sum + bytes, 0)).toBe(600_000)
  })
  await withFile({ content: Buffer.concat([quiet, Buffer.from([0])]) }, async (file) => {
    await expect(work(file)).rejects.toThrow('is neither text')
  })
})
