import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasOwnSqlite, prefersOwnSqlite } from '../../tooling/launch/own-sqlite.mjs'
import { freePort, program } from '../../tooling/service/built-program.ts'
import { top } from '../../tooling/top.ts'

const isCi = process.env.CI !== undefined
const isRoot = process.getuid?.() === 0
const NEEDS_ROOT =
  'skipped, because only root can become a user whom nobody knows, or make the root file system read-only'
/** No entry of a password file has it. */
const UNKNOWN_USER = 54_321

/** Where the compiled module of this repository is, beside what it needs. */
const module = realpathSync(join(top, 'packages/sqlite/node_modules/better-sqlite3'))
const folder = mkdtempSync(join(tmpdir(), 'svc-installed-'))
const children: ChildProcess[] = []

beforeAll(() => chmodSync(folder, 0o755))
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** The program as npm installs it, with whatever `place` puts into its node_modules. Resolves with the file to start. */
function installed(name: string, place: (modules: string) => void): string {
  const root = join(folder, name, 'node_modules/svc-quota-monitor')
  cpSync(dirname(program), join(root, 'dist'), { recursive: true })
  cpSync(join(top, 'apps/cli/package.json'), join(root, 'package.json'))
  mkdirSync(join(root, 'node_modules'))
  place(join(root, 'node_modules'))
  return join(root, 'dist/main.js')
}

/** better-sqlite3 with its scripts not run. */
function placeUncompiled(modules: string): void {
  for (const name of ['bindings', 'file-uri-to-path']) {
    const own =
      name === 'bindings'
        ? join(dirname(module), name)
        : join(dirname(realpathSync(join(dirname(module), 'bindings'))), name)
    cpSync(realpathSync(own), join(modules, name), { recursive: true })
  }
  for (const part of ['package.json', 'lib'])
    cpSync(join(module, part), join(modules, 'better-sqlite3', part), { recursive: true })
}

interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function run(
  main: string,
  args: readonly string[],
  options: { readonly uid?: number; readonly env?: Record<string, string> } = {},
): Outcome {
  const { env = { HOME: folder }, uid } = options
  const user = uid === undefined ? {} : { uid, gid: uid }
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    cwd: '/',
    env,
    ...user,
  })
  return { code: status, stdout, stderr }
}

interface Check {
  readonly id: string
  readonly status: string
  readonly detail: string
  readonly hint: string
}

function sqliteCheck(main: string, args: readonly string[] = []): Check | undefined {
  const { stdout } = run(main, ['doctor', '--json', '--config', 'off', ...args])
  return (JSON.parse(stdout) as { readonly checks: readonly Check[] }).checks.find(
    ({ id }) => id === 'sqlite',
  )
}

/** What the service says before this line is there. */
async function startedUntil(main: string, args: readonly string[], line: RegExp): Promise<string> {
  const child = spawn(
    process.execPath,
    [main, '--config', 'off', '--port', String(await freePort()), ...args],
    { env: { HOME: folder } },
  )
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  await expect.poll(() => output, { timeout: 60_000 }).toMatch(line)
  child.kill('SIGTERM')
  return output
}

const REBUILD =
  /Use Node 24 .*`npm --prefix \S+\/node_modules\/better-sqlite3 run install`.*python3, make, g\+\+ and the headers of Node, of which npm_config_nodedir names the folder\./

describe('SQLite of an installed program', () => {
  it.each<{
    readonly what: string
    readonly place: (modules: string) => void
    readonly why: RegExp
    readonly remedy: RegExp
  }>([
    {
      what: 'is not there',
      place: () => undefined,
      why: /is not installed/,
      remedy:
        /`npm install --global --prefix \S+ --allow-scripts=better-sqlite3 --foreground-scripts better-sqlite3@12`/,
    },
    {
      what: 'was not compiled',
      place: placeUncompiled,
      why: /installed but not compiled: its install script was not run, or has failed/,
      remedy: REBUILD,
    },
    {
      what: 'was compiled for another Node',
      place: (modules) => {
        mkdirSync(join(modules, 'better-sqlite3'))
        const said =
          'The module was compiled against a different Node.js version using NODE_MODULE_VERSION 1. This one requires NODE_MODULE_VERSION 2.'
        writeFileSync(
          join(modules, 'better-sqlite3/index.js'),
          `throw Object.assign(new Error(${JSON.stringify(said)}), { code: 'ERR_DLOPEN_FAILED' })`,
        )
      },
      why: /was compiled for another version of Node than this one, \d+\.\d+\.\d+/,
      remedy: REBUILD,
    },
    {
      what: 'is of another system',
      place: (modules) => {
        placeUncompiled(modules)
        mkdirSync(join(modules, 'better-sqlite3/build/Release'), { recursive: true })
        writeFileSync(join(modules, 'better-sqlite3/build/Release/better_sqlite3.node'), 'MZ')
      },
      why: /was compiled for another kind of machine or system/,
      remedy: REBUILD,
    },
  ])(
    `that $what: ${hasOwnSqlite ? 'the one of Node keeps the store, as doctor says' : 'doctor and the first start say so in one line, with what helps'}`,
    async ({ what, place, why, remedy }) => {
      const main = installed(what.replaceAll(' ', '-'), place)
      const path = join(folder, `${what}.db`)
      const store = ['--state-db', path]

      if (hasOwnSqlite) {
        const reason = prefersOwnSqlite ? /^3\.\d+\.\d+ of node:sqlite$/ : why
        expect(sqliteCheck(main)).toMatchObject({
          status: 'ok',
          detail: expect.stringMatching(/^3\.\d+\.\d+ of node:sqlite/),
        })
        expect(sqliteCheck(main, store)?.detail).toMatch(reason)
        expect(await startedUntil(main, store, /history store open/)).not.toMatch(/sqlite/i)
        expect(existsSync(path)).toBe(true)
        return
      }
      expect(sqliteCheck(main)).toMatchObject({
        status: 'warn',
        detail: expect.stringMatching(why),
        hint: expect.stringMatching(remedy),
      })
      expect(sqliteCheck(main, store)).toMatchObject({
        status: 'fail',
        detail: expect.stringMatching(why),
        hint: expect.stringMatching(remedy),
      })
      const lines = (await startedUntil(main, store, /history store not usable/))
        .split('\n')
        .filter((line) => line.includes('better-sqlite3'))
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatch(why)
      expect(lines[0]).toMatch(remedy)
    },
  )

  it(`that is there: doctor says its version, also without a configured store${prefersOwnSqlite ? ', and that the one of Node comes first' : ''}`, () => {
    const main = installed('complete', (modules) =>
      symlinkSync(module, join(modules, 'better-sqlite3')),
    )

    expect(sqliteCheck(main)).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(
        prefersOwnSqlite ? /^3\.\d+\.\d+ of node:sqlite$/ : /^3\.\d+\.\d+ of better-sqlite3$/,
      ),
    })
  })
})

describe('a user whom nobody knows, without a home', () => {
  it('can do everything that needs no store', async (context) => {
    if (!isRoot && !isCi) context.skip(NEEDS_ROOT)
    const main = installed('stranger', () => undefined)
    const ask = (args: readonly string[]) => run(main, args, { uid: UNKNOWN_USER, env: {} })

    expect(ask(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^svc-quota-monitor \d+\.\d+\.\d+(?:\+[\da-f]{9}(?:-dirty)?)?\n$/,
      ),
      stderr: '',
    })
    expect(ask(['--help'])).toMatchObject({ code: 0, stderr: '' })
    expect(ask(['print-config'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^config file: none\n/),
      stderr: '',
    })
    expect(ask(['init', 'rules'])).toMatchObject({ code: 0, stderr: '' })
    // There is no proxy and no key here, and nothing else is wrong with it.
    expect(ask(['doctor'])).toMatchObject({ code: 1, stderr: '' })
  })
})

describe('a root file system that is read-only', () => {
  it('is enough for everything but a configured store', async (context) => {
    if (!isRoot && !isCi) context.skip(NEEDS_ROOT)
    const main = installed('read-only', () => undefined)
    const port = await freePort()
    // In a mount namespace of its own, where nothing at all can be written any more.
    const script = `
      mount -o remount,ro,bind / && mount --bind "${folder}" "${folder}" && mount -o remount,ro,bind "${folder}" && cd /
      if touch /x "${folder}/x" 2>/dev/null; then echo writable; exit 9; fi
      exec setpriv --reuid ${UNKNOWN_USER} --regid ${UNKNOWN_USER} --clear-groups env -i "${process.execPath}" "${main}" --demo --port ${port}`
    const child = spawn('unshare', ['--mount', 'sh', '-c', script])
    children.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    const ended = new Promise((resolve) => child.once('close', resolve))
    await expect.poll(() => output, { timeout: 60_000 }).toMatch(/listening on/)
    const page = await fetch(`http://127.0.0.1:${port}/`)
    const status = await fetch(`http://127.0.0.1:${port}/api/v1/status`)
    child.kill('SIGTERM')

    expect([page.status, status.status]).toEqual([200, 200])
    expect(await ended).toBe(0)
    expect(output).not.toMatch(/ error | warn +(?!action opened)\S/)
  })
})
