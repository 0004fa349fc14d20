import { existsSync, readFileSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ownFolder } from './own-folder.ts'
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
