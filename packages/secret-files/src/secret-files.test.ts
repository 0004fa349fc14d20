import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  readAuthFile,
  readSecretFile,
  readSecretLine,
  type SecretFileReading,
} from './secret-files.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'secret-files-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function aFile(text: string | Uint8Array, mode = 0o600, name = 'key'): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const textOf = (reading: SecretFileReading) =>
  reading.kind === 'text' ? reading.text : reading.reason
const keyIn = async (path: string) => textOf(await readSecretFile(path))
const authIn = async (...from: Parameters<typeof readAuthFile>) =>
  textOf(await readAuthFile(...from))

describe('a file with a secret', () => {
  it.each([
    [0o600, false],
    [0o400, false],
    [0o640, false],
    [0o644, true],
    [0o444, true],
  ])('mode %o is used; readable by others: %s', async (mode, readableByOthers) => {
    expect(await readSecretFile(aFile('k', mode))).toMatchObject({ kind: 'text', readableByOthers })
  })

  it.each([0o602, 0o620, 0o666])('mode %o is refused', async (mode) => {
    expect(await keyIn(aFile('k', mode))).toBe('writable_by_others')
  })

  it.each(['', '\n', ' \n'])('%j is empty', async (text) => {
    expect(await keyIn(aFile(text))).toBe('empty')
  })

  it.each([
    ['\ufeffk', 'k'],
    ['k\r\n', 'k'],
    ['\n\n k \n\t\n', ' k '],
    ['k\nl', 'several_lines'],
    ['k\rl', 'several_lines'],
    ['key\u0000', 'nul'],
    ['\u0000\u0000', 'nul'],
    [Buffer.from('\ufeffkl', 'utf16le'), 'utf16'],
    [Buffer.from('kl', 'utf16le'), 'utf16'],
    [Buffer.from('\ufeffkl', 'utf16le').swap16(), 'utf16'],
    [Buffer.from('kl', 'utf16le').swap16(), 'utf16'],
  ])('as one line is read from %j as %j', async (content, found) => {
    expect(textOf(await readSecretLine(aFile(content)))).toBe(found)
  })

  it.runIf(process.getuid?.() === 0)(
    'in a folder that this user may not enter is told from one that it may not read',
    async () => {
      mkdirSync(join(folder, 'closed'))
      const [closed, unreadable] = [aFile('k', 0o644, 'closed/key'), aFile('k')]
      chmodSync(join(folder, 'closed'), 0o700)
      chmodSync(folder, 0o755)
      process.seteuid?.(12_345)
      try {
        expect(await keyIn(closed)).toBe('closed_folder')
        expect(await keyIn(unreadable)).toBe('unreadable')
      } finally {
        process.seteuid?.(0)
      }
    },
  )

  it('a missing file, a folder, a pipe and a giant each have a name', async () => {
    execFileSync('/usr/bin/env', ['mkfifo', '-m', '600', join(folder, 'pipe')])

    expect(await keyIn(join(folder, 'nothing'))).toBe('missing')
    expect(await keyIn(join(aFile('k'), 'below'))).toBe('missing')
    expect(await keyIn(folder)).toBe('not_a_file')
    expect(await keyIn(join(folder, 'pipe'))).toBe('not_a_file')
    expect(await keyIn(aFile(new Uint8Array(1024 * 1024 + 1)))).toBe('too_large')
  })

  it('a folder that anyone may write to is refused, a sticky one is not', async () => {
    const path = aFile('k')

    chmodSync(folder, 0o777)
    expect(await keyIn(path)).toBe('writable_by_others')
    chmodSync(folder, 0o1777)
    expect(await keyIn(path)).toBe('k')
  })

  // Rows: mode and group of the folder, and whether the key in it is used. Group 12345 does not exist here.
  it.for([
    [0o775, 12_345, 'writable_by_others', 'a foreign group could put another file in place'],
    [0o755, 12_345, 'k', 'a foreign group that only reads'],
    [0o1775, 12_345, 'k', 'in a sticky folder everybody keeps their own files'],
    [0o775, process.getgid?.() ?? 0, 'k', 'the group of our own user'],
    [0o775, 0, 'k', 'the group of root'],
  ] as const)(
    'a folder of mode %o and group %i: %s, because %s',
    async ([mode, group, expected], context) => {
      if (process.getuid?.() !== 0 && group !== process.getgid?.() && process.env.CI === undefined)
        return context.skip('skipped, because only root can give a folder to another group')
      const path = aFile('k')
      chownSync(folder, process.getuid?.() ?? 0, group)
      chmodSync(folder, mode)

      expect(await keyIn(path)).toBe(expected)
    },
  )

  it('a file, or a folder on the way, that belongs to another user is refused', async (context) => {
    if (process.getuid?.() !== 0 && process.env.CI === undefined)
      return context.skip('skipped, because only root can give files away')
    const path = aFile('k')
    chownSync(path, 12_345, 12_345)
    expect(await keyIn(path)).toBe('foreign_owner')
    chownSync(path, 0, 0)
    chownSync(folder, 12_345, 0)
    expect(await keyIn(path)).toBe('writable_by_others')
    chownSync(folder, 0, 0)
    expect(await keyIn(path)).toBe('k')
  })

  it('follows the links of a mounted secret', async () => {
    mkdirSync(join(folder, '..2026'))
    aFile('mounted', 0o644, '..2026/key')
    symlinkSync('..2026', join(folder, '..data'))
    symlinkSync('..data/key', join(folder, 'key'))

    expect(await keyIn(join(folder, 'key'))).toBe('mounted')
  })

  it('follows no link into a folder that others can write to', async () => {
    mkdirSync(join(folder, 'open'))
    chmodSync(join(folder, 'open'), 0o777)
    aFile('k', 0o600, 'open/key')
    symlinkSync('open/key', join(folder, 'link'))

    expect(await keyIn(join(folder, 'link'))).toBe('writable_by_others')
  })

  it.runIf(process.getuid?.() === 0)(
    'follows no link into a folder that is somebody else’s',
    async () => {
      mkdirSync(join(folder, 'theirs'))
      aFile('k', 0o600, 'theirs/key')
      chownSync(join(folder, 'theirs'), 12_345, 12_345)
      symlinkSync('theirs/key', join(folder, 'link'))

      expect(await keyIn(join(folder, 'link'))).toBe('writable_by_others')
    },
  )

  it('a link to nothing is missing, a circle of links unreadable', async () => {
    symlinkSync('nothing', join(folder, 'dangling'))
    symlinkSync('round', join(folder, 'round'))

    expect(await keyIn(join(folder, 'dangling'))).toBe('missing')
    expect(await keyIn(join(folder, 'round'))).toBe('unreadable')
  })
})

describe('a file of the auth directory', () => {
  it.runIf(process.getuid?.() === 0)('may belong to the user of the proxy', async () => {
    aFile('{}', 0o600, 'codex-a.json')
    for (const path of [folder, join(folder, 'codex-a.json')]) chownSync(path, 12_345, 12_345)
    expect(await authIn(folder, 'codex-a.json')).toBe('{}')

    chownSync(join(folder, 'codex-a.json'), 54_321, 54_321)
    expect(await authIn(folder, 'codex-a.json')).toBe('foreign_owner')
  })

  it.each([
    [0o700, 0o660],
    [0o777, 0o600],
  ])('in a folder of mode %o and of mode %o is refused', async (folderMode, mode) => {
    aFile('{}', mode, 'codex-a.json')
    chmodSync(folder, folderMode)

    expect(await authIn(folder, 'codex-a.json')).toBe('writable_by_others')
  })

  it('reads a regular file of the directory', async () => {
    aFile('{}', 0o600, 'codex-a.json')

    expect(await authIn(folder, 'codex-a.json')).toBe('{}')
    expect(await authIn(`${folder}/`, 'codex-a.json')).toBe('{}')
  })

  it('follows a link inside the directory, never one out of it', async () => {
    const inside = join(folder, 'auths')
    mkdirSync(inside)
    aFile('secret', 0o600, 'outside.json')
    aFile('mine', 0o600, 'auths/real.json')
    symlinkSync('../outside.json', join(inside, 'out.json'))
    symlinkSync('real.json', join(inside, 'in.json'))

    expect(await authIn(inside, 'in.json')).toBe('mine')
    expect(await authIn(inside, 'out.json')).toBe('missing')
  })

  it('opens nothing else, though folders below it', async () => {
    aFile('x', 0o600, 'token.txt')
    mkdirSync(join(folder, 'folder.json'))
    mkdirSync(join(folder, 'sub'))
    aFile('x', 0o600, 'sub/deep.json')
    symlinkSync('/', join(folder, 'sub/out'))
    expect(await authIn(folder, 'sub/deep.json')).toBe('x')
    expect(await authIn(join(folder, 'sub'), '../codex-a.json')).toBe('missing')
    aFile(new Uint8Array(1024 * 1024 + 1), 0o600, 'giant.json')

    for (const name of [
      'token.txt',
      'folder.json',
      '../escape.json',
      'sub/../../escape.json',
      '/etc/escape.json',
      'sub/out/escape.json',
      'giant.json',
      'nothing.json',
      '',
    ]) {
      expect(await authIn(folder, name), name).toMatch(/^(?:missing|not_a_file|too_large)$/)
    }
    expect(await authIn(join(folder, 'nowhere'), 'codex-a.json')).toBe('missing')
  })
})
