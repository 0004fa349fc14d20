import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { keyFromText, readKeyFile } from './key-file.ts'

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'key-file-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function keyIn(text: string): Promise<string> {
  const path = join(folder, 'key')
  writeFileSync(path, text, { mode: 0o600 })
  const reading = await readKeyFile(path)
  return reading.kind === 'key' ? reading.key.reveal() : reading.reason
}

describe('a key file', () => {
  it('holds the key, with or without a newline', async () => {
    expect(await keyIn('the key\r\n')).toBe('the key')
    expect(await keyIn('\ufeffthe-key')).toBe('the-key')
  })

  it.each(['', '\n', ' \n'])('%j is empty', async (text) => {
    expect(await keyIn(text)).toBe('empty')
  })

  it.each([
    ['two\nlines', 'several_lines'],
    ['two\rlines', 'several_lines'],
    ['\ufeff\n\n the key \r\n  \n', 'the key'],
    ['tab\tinside', 'odd_characters'],
    ['schlüssel', 'odd_characters'],
    ['es\u001bcape', 'odd_characters'],
    ['\u0000', 'nul'],
    ['   ', 'empty'],
  ])('%j is %s', async (text, found) => {
    expect(await keyIn(text)).toBe(found)
  })
})

it('a key prints as stars', () => {
  expect(JSON.stringify(keyFromText('canary', false))).toBe(
    '{"kind":"key","key":"***","readableByOthers":false}',
  )
})
