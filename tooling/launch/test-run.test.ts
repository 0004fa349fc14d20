import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { INSTALLS, makeSmallClone, type SmallClone, startLauncher, TURBO } from './small-clone.ts'

const SQLITE = 'packages/sqlite/node_modules/better-sqlite3'
/** What this Node brings must not matter here. */
const OWN_SQLITE = 'tooling/launch/own-sqlite.mjs'
const ownSqlite = (isThere: boolean, isPreferred: boolean) =>
  `export const hasOwnSqlite = ${isThere}; export const prefersOwnSqlite = ${isPreferred}`
const COMPILES = `mkdir -p $PWD/node_modules/better-sqlite3/build && echo "$npm_config_build_from_source" > $PWD/node_modules/better-sqlite3/build/there`
/** Stands in for vitest: what each project comes to is in `results.json`, and there under `again` what `a.test.ts` comes to. */
const VITEST = `import { readFileSync } from 'node:fs'
const [command, ...args] = process.argv.slice(2)
const projects = args.flatMap((argument, index) => (args[index - 1] === '--project' ? [argument] : []))
if (command === 'list') console.log(JSON.stringify(projects.map((name) => ({ name }))))
else {
  const results = JSON.parse(readFileSync('results.json', 'utf8'))
  const isAgain = args.includes('a.test.ts')
  const runs = isAgain ? [results.again] : projects.map((name) => results[name] ?? { passed: 1, failed: 0, skipped: [] })
  const counts = {
    passed: runs.reduce((sum, run) => sum + run.passed, 0),
    failed: runs.reduce((sum, run) => sum + run.failed, 0),
    skipped: runs.flatMap((run) => run.skipped),
  }
  console.log(counts.failed > 0 ? 'expected 1 to be 2' : 'a thousand ticks')
  process.send({ ended: 7 })
  process.send({ counts, failures: runs.flatMap((run) => run.failures ?? []) })
  process.exitCode = counts.failed > 0 ? 1 : 0
}`

let clone: SmallClone
beforeEach(() => {
  clone = makeSmallClone()
  clone.write(
    `${SQLITE}/index.js`,
    `require('node:fs').readFileSync(__dirname + '/build/there'); module.exports = class { close() {} }`,
  )
  clone.write('packages/sqlite/node_modules/prebuild-install/bin.js', 'process.exit(1)')
  clone.write('node_modules/vitest/vitest.mjs', VITEST)
  clone.write('results.json', '{}')
  clone.write(OWN_SQLITE, ownSqlite(false, false))
})
afterEach(() => clone.remove())

const useCompiler = (script: string) =>
  clone.useNpx(`case "$*" in *rebuild*) ${script} ;; *) ${INSTALLS} ;; esac`)

async function launch(command = 'test', env: Readonly<Record<string, string>> = {}) {
  const { code, output } = await startLauncher(clone, command, { env }).ended
  const lines = output.trimEnd().split('\n')
  return { code, output, lines, last: lines.at(-1) }
}

/** A path on which there is what the test's own scripts need, and no compiler. */
function pathWithoutCompiler() {
  for (const name of ['cp', 'mkdir'])
    symlinkSync(join('/bin', name), join(clone.folder, 'bin', name))
  return join(clone.folder, 'bin')
}

describe('npm test', () => {
  it('prints one line a phase, and in the end how many tests passed', async () => {
    useCompiler(COMPILES)
    const { code, lines } = await launch()

    expect(code).toBe(0)
    expect(lines.filter((line) => line !== '' && !line.includes('SQLite (better'))).toHaveLength(9)
    for (const phase of [
      'Installing packages',
      'Building',
      'Checking types',
      'Checking style and unused code',
      'Compiling SQLite',
    ]) {
      expect(lines).toContain(`${phase} … N s`)
    }
    // They run side by side, and either may end first.
    for (const tests of [
      'Testing the store … 1 passed, 0 failed, N s',
      'Testing the program … 1 passed, 0 failed, N s',
      'Testing what needs no SQLite … 2 passed, 0 failed, N s',
    ]) {
      expect(lines).toContain(tests)
    }
    expect(lines.slice(-2)).toEqual(['', '4 passed, 0 failed'])
  })

  it('runs in CI what failed once more, and names what passed only then', async () => {
    useCompiler(COMPILES)
    const [late, wrong] = ['late', 'wrong'].map((name) => ({ file: 'a.test.ts', name }))
    const native = { passed: 5, failed: 2, skipped: [], failures: [late, wrong] }
    const again = { passed: 1, failed: 1, skipped: [], failures: [wrong] }
    clone.write('results.json', JSON.stringify({ native, again }))

    expect((await launch()).last).toBe('8 passed, 2 failed')
    const { code, lines, last } = await launch('test', { CI: 'true' })
    expect({ code, last }).toEqual({ code: 1, last: '9 passed, 1 failed' })
    expect(lines).toContain('Testing the store once more … 1 passed, 1 failed, N s')
    expect(lines.filter((line) => line.startsWith('passed only'))).toEqual([
      'passed only when run again: late',
    ])
  })

  it('fails in CI when a test was skipped that CI can run', async () => {
    useCompiler(COMPILES)
    const skipped = [
      'skipped, because no container engine is at hand',
      'skipped, because jq is not installed',
    ]
    clone.write('results.json', JSON.stringify({ pure: { passed: 1, failed: 0, skipped } }))

    expect(await launch('test')).toMatchObject({ code: 0 })
    const { code, output, last } = await launch('test', { CI: 'true' })
    expect({ code, last }).toEqual({ code: 1, last: '4 passed, 1 failed, 2 skipped' })
    expect(output).toContain('skipped, because jq is not installed (not allowed in CI)')
  })

  it('goes on after a check that failed, shows what it said and counts it', async () => {
    useCompiler(COMPILES)
    clone.write(
      TURBO,
      "if (process.argv[3] === 'typecheck') console.log('no such type'), process.exit(1)",
    )
    const { code, lines, last } = await launch()

    expect({ code, last }).toEqual({ code: 1, last: '4 passed, 1 failed' })
    expect(lines).toEqual(
      expect.arrayContaining([
        'Checking types … failed',
        'no such type',
        'Checking style and unused code … N s',
      ]),
    )
  })

  it('fails when no test ran', async () => {
    useCompiler(COMPILES)
    const nothing = { passed: 0, failed: 0, skipped: [] }
    clone.write(
      'results.json',
      JSON.stringify({ pure: nothing, 'page*': nothing, native: nothing, program: nothing }),
    )

    expect(await launch()).toMatchObject({ code: 1, last: '0 passed, 0 failed' })
  })
})

describe('SQLite', () => {
  it('is else compiled: what, why and how long is said first, and pnpm is told not to fetch', async () => {
    useCompiler(COMPILES)
    const { code, lines } = await launch('live')

    expect(code).toBe(0)
    expect(lines.filter((line) => line.includes('SQLite'))).toEqual([
      'Compiling SQLite (better-sqlite3) for the usage history, because no ready-made binary could be fetched; this usually takes one to two minutes.',
      'Compiling SQLite … N s',
    ])
    expect(clone.read(`${SQLITE}/build/there`)).toBe('true\n')
  })

  it('is not compiled where Node brings one, but for CI, which tests the store with both', async () => {
    clone.write(OWN_SQLITE, ownSqlite(true, false))
    useCompiler(COMPILES)

    expect((await launch('live')).output).not.toContain('ompil')
    expect((await launch()).lines.join('\n')).not.toMatch(/ompil|SQLite of Node/)
    const { lines } = await launch('test', { CI: 'true' })
    expect(lines).toContain('Compiling SQLite … N s')
    expect(lines).toContain('Testing the store with the SQLite of Node … 0 passed, 0 failed, N s')
  })

  it('that cannot be compiled without a compiler: the rest is tested, its tests are skipped with the reason', async () => {
    useCompiler('exit 1')
    const { code, lines, last } = await launch('test', { PATH: pathWithoutCompiler() })

    expect({ code, last }).toEqual({ code: 0, last: '2 passed, 0 failed, 2 skipped' })
    expect(lines).toContain(
      'SQLite cannot be compiled without python3, make, g++ (Debian: apt-get install python3 make g++). The demo and every check that opens no store work without it.',
    )
    expect(lines).toContain(
      '    2 skipped, because SQLite cannot be compiled without python3, make, g++',
    )
  })

  it('that the compiler refuses is a failure that shows what it said', async () => {
    useCompiler('echo "error: expected ;"; exit 1')
    for (const name of ['python3', 'make', 'g++']) clone.write(`bin/${name}`, '')
    const { code, output, last } = await launch()

    expect({ code, last }).toEqual({ code: 1, last: '2 passed, 1 failed' })
    expect(output).toMatch(
      /error: expected ;\nSQLite could not be compiled; what the compiler said stands above\./,
    )
  })
})
