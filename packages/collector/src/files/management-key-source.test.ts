import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redacted } from '@svc/core/service'
import { silentLog, virtualClock } from '@svc/core/testing'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createManagementKeySource,
  type KeyFileReading,
  keyFromText,
  readKeyFile,
} from './management-key-source.ts'

let path = ''
beforeEach(() => {
  path = join(mkdtempSync(join(realpathSync(tmpdir()), 'collector-')), 'key')
})
afterEach(() => rmSync(join(path, '..'), { recursive: true }))

const writeKey = (text: string, mode = 0o600) => {
  writeFileSync(path, text)
  chmodSync(path, mode)
}

function aSource({
  fromEnvironment = null as string | null,
  file = path as string | null,
  begins = (_: KeyFileReading | null) => {},
} = {}) {
  const clock = virtualClock(() => Promise.resolve())
  const lines: string[] = []
  const seen: (string | null)[] = []
  const source = createManagementKeySource(
    {
      fromEnvironment: fromEnvironment === null ? null : new Redacted(fromEnvironment),
      path: file,
      periodSeconds: 15,
      onReading(reading) {
        seen.push(reading?.kind === 'key' ? reading.key.reveal() : (reading?.reason ?? null))
        begins(reading)
      },
    },
    {
      clock,
      log: {
        ...silentLog,
        info: (event) => void lines.push(event),
        warn: (event, fields) => void lines.push(`${event} ${fields?.reason ?? ''}`.trim()),
      },
    },
  )
  return { clock, lines, seen, source }
}

describe('where the key comes from', () => {
  it('is the environment before the file, which is not watched then', async () => {
    writeKey('of the file')
    const { clock, seen, source } = aSource({ fromEnvironment: 'of the environment' })
    await source.read()

    expect(seen).toEqual(['of the environment'])
    expect(clock.scheduledCount).toBe(0)
  })

  it('is nowhere where neither is set', async () => {
    const { clock, seen, source } = aSource({ file: null })
    await source.read()

    expect(seen).toEqual([null])
    expect(source.reading()).toBeNull()
    expect(clock.scheduledCount).toBe(0)
  })

  it('is the file, which is planned to be read again', async () => {
    writeKey('first\n')
    const { clock, seen, source } = aSource()
    await source.read()
    writeKey('second\n')
    await source.read()

    expect(seen).toEqual(['first', 'second'])
    // An extra reading does not schedule a second timer.
    expect(clock.scheduledCount).toBe(1)
  })
})

describe('what is said of the key', () => {
  it('is what is wrong, once for each reason, and once that it is right again', async () => {
    const { lines, source } = aSource()
    await source.read()
    await source.read()
    writeKey('')
    await source.read()
    writeKey('key')
    await source.read()
    await source.read()

    expect(lines).toEqual([
      'the management key cannot be used missing',
      'the management key cannot be used empty',
      'the management key can be used again',
    ])
  })

  it('is that others can read it, once as long as they can', async () => {
    writeKey('key', 0o644)
    const { lines, source } = aSource()
    await source.read()
    await source.read()
    writeKey('key')
    await source.read()
    writeKey('key', 0o644)
    await source.read()

    expect(lines).toEqual([
      'the management key file is readable by others',
      'the management key file is readable by others',
    ])
  })
})

describe('a source that was stopped', () => {
  it('passes on nothing of a reading under way', async () => {
    writeKey('key')
    const { clock, seen, source } = aSource()
    const underWay = source.read()
    source.stop()
    await underWay

    expect(seen).toEqual([])
    expect(clock.scheduledCount).toBe(0)
  })

  it('within its own news plans nothing more', async () => {
    writeKey('key')
    const { clock, source } = aSource({ begins: () => source.stop() })
    await source.read()

    expect(clock.scheduledCount).toBe(0)
  })
})

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
