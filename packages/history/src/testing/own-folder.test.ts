import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keptFolder, ownFolder } from './own-folder.ts'
import { serverUser } from './postgres-programs.ts'

it('a folder and its files are of the user of the server alone, until it is removed', () => {
  const folder = ownFolder()
  const file = folder.write('password', 'a canary')
  const { uid = process.getuid?.() } = serverUser()

  expect(readFileSync(file, 'utf8')).toBe('a canary')
  expect([statSync(folder.path), statSync(file)].map((stats) => stats.uid)).toEqual([uid, uid])
  expect([statSync(folder.path), statSync(file)].map(({ mode }) => mode & 0o777)).toEqual([
    0o700, 0o600,
  ])
  folder.remove()
  expect(existsSync(folder.path)).toBe(false)
})

it('a folder that is kept stays with what is in it, and is gone on with', () => {
  const path = join(tmpdir(), `svc-kept-${process.pid}`)
  try {
    const file = keptFolder(path).write('word', 'a canary')
    const again = keptFolder(path)
    again.remove()

    expect(again.path).toBe(path)
    expect(readFileSync(file, 'utf8')).toBe('a canary')
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
})
