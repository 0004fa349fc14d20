import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isSafeSqlite } from '@svc/sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { sqliteRemedy, sqliteVersion } from './sqlite.ts'

it('SQLite is safe here', () => {
  expect(isSafeSqlite(sqliteVersion())).toBe(true)
})

const folder = mkdtempSync(join(tmpdir(), 'svc-sqlite-remedy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CLONE = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')
const PROGRAM = '/usr/local/lib/node_modules/svc-quota-monitor'
const FLAGS = '--allow-scripts=better-sqlite3 --foreground-scripts'

const lineIn = (remedy: string) => /`(.*)`/.exec(remedy)?.[1]

describe('the line that brings SQLite', () => {
  it.each(['not_compiled', 'other_node', 'other_system'] as const)(
    'runs the script of the module itself where that is %s',
    (obstacle) => {
      const driver = `${PROGRAM}/node_modules/better-sqlite3`

      expect(lineIn(sqliteRemedy(obstacle, `${PROGRAM}/dist/main.js`, driver))).toBe(
        `npm --prefix ${driver} run install`,
      )
    },
  )

  it.each([
    [`${PROGRAM}/dist/main.js`, `npm install --global --prefix /usr/local ${FLAGS}`],
    [
      '/opt/my apps/lib/node_modules/svc-quota-monitor/dist/main.js',
      `npm install --global --prefix '/opt/my apps' ${FLAGS}`,
    ],
    [
      'C:\\npm\\node_modules\\svc-quota-monitor\\dist\\main.js',
      `npm install --global --prefix 'C:\\npm' ${FLAGS}`,
    ],
  ])('installs it where %s is installed for the whole machine', (program, line) => {
    expect(lineIn(sqliteRemedy('not_installed', program, null))).toBe(`${line} better-sqlite3@12`)
  })

  it('installs it into the project that this program is a package of', () => {
    const project = join(folder, 'app')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{}')
    const program = join(project, 'node_modules/svc-quota-monitor/dist/main.js')

    expect(lineIn(sqliteRemedy('not_installed', program, null))).toBe(
      `npm --prefix ${project} install --foreground-scripts better-sqlite3@12`,
    )
  })

  it('names the folder of a clone', () => {
    const program = join(CLONE, 'apps/cli/dist/main.js')

    expect(lineIn(sqliteRemedy('not_installed', program, null))).toBe(
      `npm --prefix ${CLONE} run sqlite`,
    )
  })

  it('names the version that this program is made for', () => {
    expect(readFileSync(join(CLONE, 'pnpm-workspace.yaml'), 'utf8')).toMatch(
      /better-sqlite3['"]?: 12\./,
    )
  })
})
