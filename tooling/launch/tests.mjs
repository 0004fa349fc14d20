import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './child.mjs'
import { Failure } from './failure.mjs'
import { hasOwnSqlite } from './own-sqlite.mjs'
import { provideSqlite, SqliteFailure } from './sqlite.mjs'
import { top } from './top.mjs'
import { build, runChecks } from './turbo.mjs'

const VITEST = 'node_modules/vitest/vitest.mjs'
const REPORTER = 'tooling/launch/counts-reporter.mjs'

/** Reasons to skip a test that CI has too; any other one is a failure there. */
const SKIPPED_IN_CI = [/no container engine/, /no cargo$/]

/** The projects of vitest.config.ts whose tests need no SQLite, and those that need it or the built program. */
const WITHOUT_SQLITE = ['--project', 'pure', '--project', 'page*']
const NEEDING_SQLITE = ['--project', 'native', '--project', 'program']

/** Whatever opens a store without PostgreSQL. */
const STORE_TESTS = [
  'packages/sqlite',
  'packages/history',
  'packages/redact/src/database',
  'packages/redact/src/verify',
  'packages/doctor/src/store-checks.test.ts',
  'tests/program/backup-command.test.ts',
  'tests/system/history.test.ts',
  'tests/system/installation.test.ts',
  'tests/system/store-contract.test.ts',
  'tests/system/store-damage.test.ts',
  '--exclude=**/postgres/**',
]
/**
 * What another Node may do otherwise: its SQLite, its threads, processes and sockets, and how the program starts and ends. What an answer says
 * depends on none of them.
 */
const RUNTIME_TESTS = [
  ...['packages/sqlite', 'packages/doctor/src/store-checks.test.ts'],
  ...['packages/redact/src/database', 'packages/redact/src/verify'],
  ...['backup', 'retention', 'sql', 'usage-store'].map((path) => `packages/history/src/${path}`),
  ...['program', 'service', 'commands/import-records', 'commands/top'].map(
    (path) => `apps/cli/src/${path}`,
  ),
  ...['backup-command', 'bundle', 'ctrl-c', 'demo', 'doctor', 'live', 'notify'].map(
    (name) => `tests/program/${name}.test.ts`,
  ),
  ...['postgres-driver', 'process', 'refresh'].map((name) => `tests/program/${name}.test.ts`),
  '--exclude=**/postgres/**',
]
const WITHOUT_BETTER_SQLITE3 = join(top, 'tooling/launch/without-better-sqlite3.cjs')

const MEMORY_DISK = '/dev/shm'
const MEMORY_DISK_BYTES = 2 * 1024 ** 3

/** @typedef {import('./counts-reporter.mjs').Counts} Counts */
/** @typedef {import('./counts-reporter.mjs').Failed} Failed */
/**
 * `under`: a command that runs vitest, such as faketime.
 * @typedef {{ readonly under?: readonly string[], readonly env?: Readonly<Record<string, string>> }} RunOptions
 */
/** @typedef {import('./screen.mjs').Screen} Screen */

/**
 * Everything of `npm test` after the installation. What reads the sources alone waits neither for the build nor for SQLite. What opens a store is
 * tested once more where Node brings an SQLite too.
 * @param {Screen} screen
 */
export async function testAll(screen) {
  const sqlite = provideSqlite(screen).then(
    (isBoth) => ({ isBoth: isBoth && hasOwnSqlite, failure: null }),
    (failure) => ({ isBoth: false, failure }),
  )
  const fromSources = runChecks(screen).then(async (failed) => [
    { passed: 0, failed, skipped: [] },
    await runTests(screen, 'Testing what needs no SQLite', WITHOUT_SQLITE),
  ])
  await build(screen, 'everything')
  const { isBoth, failure } = await sqlite
  const rest = failure === null ? await testNative(screen) : [await withoutSqlite(screen, failure)]
  const runs = [...(await fromSources), ...rest]
  if (isBoth)
    runs.push(
      await runTests(screen, 'Testing the store with the SQLite of Node', STORE_TESTS, {
        env: { NODE_OPTIONS: `--require=${WITHOUT_BETTER_SQLITE3}` },
      }),
    )
  return reportTests(screen, runs)
}

/**
 * The tests that another Node may fail, for a machine where all others have passed: rules depend on the language alone.
 * @param {Screen} screen
 */
export async function testRuntime(screen) {
  return reportTests(screen, [
    await runTests(screen, 'Testing store and program', [...NEEDING_SQLITE, ...RUNTIME_TESTS], {
      env: { TEST_ENGINE: 'sqlite' },
    }),
  ])
}

/**
 * The store and the program, side by side: what waits for a program or a database leaves processors to the other.
 * @param {Screen} screen
 */
function testNative(screen) {
  return Promise.all([
    runTests(screen, 'Testing the store', ['--project', 'native']),
    runTests(screen, 'Testing the program', ['--project', 'program']),
  ])
}

/**
 * A machine without a compiler is told what was not tested; anything else is a failure.
 * @param {Screen} screen
 * @param {unknown} failure
 */
async function withoutSqlite(screen, failure) {
  if (!(failure instanceof SqliteFailure)) throw failure
  if (failure.output !== '') screen.line(failure.output.trimEnd())
  screen.line(failure.message)
  return failure.missingTools.length > 0 && process.env.CI === undefined
    ? skipTests(
        NEEDING_SQLITE,
        `skipped, because SQLite cannot be compiled without ${failure.missingTools.join(', ')}`,
      )
    : { passed: 0, failed: 1, skipped: [] }
}

/** @type {string | null | undefined} */
let folderInMemory
/**
 * A folder for the files of tests in memory, where a store that syncs each write does not wait for a disk; null where there is no memory disk with room, or
 * where the caller names a folder.
 */
function folderOfTests() {
  if (process.env.TMPDIR !== undefined || folderInMemory !== undefined)
    return folderInMemory ?? null
  folderInMemory = null
  try {
    const { bavail, bsize } = statfsSync(MEMORY_DISK)
    if (bavail * bsize < MEMORY_DISK_BYTES) return null
    const folder = mkdtempSync(join(MEMORY_DISK, 'svc-tests-'))
    // As a folder for temporary files is: a test starts the program as another user.
    chmodSync(folder, 0o1777)
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    folderInMemory = folder
  } catch {
    // Not on this system, or not for this user.
  }
  return folderInMemory
}

/** Files that are run once more at most: what breaks more of them is no busy machine. */
const AGAIN_MAX = 10

/**
 * Runs vitest with these arguments. In CI the files that failed are run once more when all others have ended, one at a time, for a machine that other
 * work keeps busy may delay a process or a browser at the wrong moment; what passes only then is named.
 * @param {Screen} screen
 * @param {string} label
 * @param {readonly string[]} args
 * @param {RunOptions} options
 * @returns {Promise<Counts>}
 */
export async function runTests(screen, label, args, options = {}) {
  const { counts, failures } = await runVitest(screen, label, args, options)
  const files = [...new Set(failures.map(({ file }) => file))].filter((file) => file !== null)
  if (
    process.env.CI === undefined ||
    files.length === 0 ||
    files.length > AGAIN_MAX ||
    failures.some(({ file }) => file === null)
  )
    return counts
  const flags = args.filter((arg) =>
    arg.startsWith('--') ? !arg.startsWith('--shard') : !arg.includes('/'),
  )
  const again = await runVitest(screen, `${label} once more`, [...flags, ...files], {
    ...options,
    env: { ...options.env, TEST_WORKERS: '1' },
  })
  const left = new Set(again.failures.map(({ name }) => name))
  for (const { name } of failures)
    if (!left.has(name)) screen.line(`passed only when run again: ${name}`)
  const { failed } = again.counts
  return { ...counts, passed: counts.passed + counts.failed - failed, failed }
}

/**
 * Runs vitest once. The output of failing tests is shown whole, of others not at all.
 * @param {Screen} screen
 * @param {string} label
 * @param {readonly string[]} args
 * @param {RunOptions} options
 * @returns {Promise<{ readonly counts: Counts, readonly failures: readonly Failed[] }>}
 */
async function runVitest(screen, label, args, { under = [], env = {} }) {
  const phase = screen.begin(label)
  /** @type {Counts | null} */
  let counts = null
  /** @type {readonly Failed[]} */
  let failures = []
  const vitest = [
    process.execPath,
    VITEST,
    'run',
    ...args,
    '--reporter=agent',
    `--reporter=${join(top, REPORTER)}`,
  ]
  const [program = '', ...rest] = [...under, ...vitest]
  const folder = folderOfTests()
  const { code, output } = await run(program, rest, {
    env: folder === null ? env : { TMPDIR: folder, ...env },
    onMessage(message) {
      if (message.ended !== undefined) phase.note(`${message.ended} tests`)
      if (message.counts !== undefined) counts = message.counts
      if (message.failures !== undefined) failures = message.failures
    },
  })
  const { passed, failed, skipped } = counts ?? { passed: 0, failed: 0, skipped: [] }
  // vitest may fail without a failed test, as when no file was found.
  const result = { passed, failed: failed === 0 && code !== 0 ? 1 : failed, skipped }
  phase.note(totalOf(result))
  phase.done()
  if (code !== 0) screen.line(output.trimEnd())
  return { counts: result, failures }
}

/**
 * The tests of these projects, not run, for one reason.
 * @param {readonly string[]} args
 * @param {string} reason
 * @returns {Promise<Counts>}
 */
export async function skipTests(args, reason) {
  const { code, output } = await run(process.execPath, [VITEST, 'list', ...args, '--json'])
  if (code !== 0)
    throw new Failure('The tests could not be listed; the reason stands above.', output)
  const tests = JSON.parse(output.slice(output.indexOf('[')))
  return { passed: 0, failed: 0, skipped: tests.map(() => reason) }
}

/**
 * Shows what all runs came to, in the end as one plain line. True when nothing failed.
 * @param {Screen} screen
 * @param {readonly Counts[]} runs
 * @param {Readonly<Record<string, string | undefined>>} env
 */
export function reportTests(screen, runs, env = process.env) {
  /** @type {Map<string, number>} */
  const timesByReason = new Map()
  for (const reason of runs.flatMap(({ skipped }) => skipped))
    timesByReason.set(reason, (timesByReason.get(reason) ?? 0) + 1)
  if (timesByReason.size > 0) screen.line('')
  let forbidden = 0
  for (const [reason, times] of [...timesByReason].sort(([, one], [, other]) => other - one)) {
    const isForbidden =
      env.CI !== undefined && !SKIPPED_IN_CI.some((allowed) => allowed.test(reason))
    if (isForbidden) forbidden += times
    screen.line(
      `${String(times).padStart(5)} ${reason}${isForbidden ? ' (not allowed in CI)' : ''}`,
    )
  }
  const total = {
    passed: runs.reduce((sum, { passed }) => sum + passed, 0),
    failed: runs.reduce((sum, { failed }) => sum + failed, forbidden),
    skipped: runs.flatMap(({ skipped }) => skipped),
  }
  screen.line('')
  screen.line(totalOf(total))
  return total.failed === 0 && total.passed > 0
}

/** @param {Counts} counts */
function totalOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped.length === 0 ? '' : `, ${skipped.length} skipped`}`
}
