import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { LongFilesFirst } from './tooling/long-files-first.ts'

// Tests read the TypeScript sources of the workspace packages, so no build is needed to run a unit test. Tests under `tests/`
// start the built program.
const exclude = ['**/dist/**', '**/node_modules/**']
const unitTestsOf = (folders: readonly string[]) =>
  folders.map((folder) => `${folder}/**/*.test.{ts,mjs}`)

interface Project {
  readonly name: string
  readonly include: readonly string[]
  readonly exclude?: readonly string[]
  /** Longest time of one test. Generous: it ends what hangs and says nothing about speed. */
  readonly timeoutMs: number
  /** Whether each file of tests loads its modules anew. Sharing them takes half the time, and needs modules without state. */
  readonly isolate: boolean
  readonly pool?: 'vmThreads'
  /** Run before each file of tests, beside the seed of the properties. */
  readonly setupFiles?: readonly string[]
}

const workers = Number(process.env.TEST_WORKERS ?? 2)

/** Unit tests that take long whatever the machine, so they are no part of `npm test`: days of every vendor, and patience with a database. */
const LONG = [
  'packages/collector/src/polite-vendors.test.ts',
  'packages/history/src/postgres/silent-server.test.ts',
]

/** Tests of the page that poll a monitor. A poll under way when its file ends would go on into the next one. */
const POLLING = [
  'parts/flow-chart',
  'parts/freshness',
  'parts/visible-rows',
  'state/event-stream',
  'state/hidden-names',
  'state/live-data',
  'state/refresh',
  'state/upstream-choice',
  'state/usage-series',
  'views/accounts-filters',
  'views/accounts-heads',
  'views/mixed-pool',
  'views/stats-windows',
].map((name) => `apps/dashboard/src/${name}.test.ts`)

/** The browser of a test of the page, whose choices are taken back after each. */
const PAGE = 'apps/dashboard/src/testing/each-test.ts'

const projects: readonly Project[] = [
  // Needs no native module, so it can run while SQLite is being compiled.
  {
    name: 'pure',
    include: unitTestsOf([
      'packages/core/src',
      'packages/client/src',
      'packages/views/src',
      'packages/config/src',
      'packages/notify/src',
      'packages/demo/src',
      'packages/json-stream/src',
      'packages/secret-files/src',
      'packages/collector/src',
      'packages/monitor/src',
      'apps/server/src',
    ]),
    exclude: LONG,
    timeoutMs: 120_000,
    isolate: false,
  },
  // The page keeps its state in modules, as long as it is open, so each file of tests loads the page anew.
  {
    name: 'page',
    include: unitTestsOf(['apps/dashboard/src']),
    exclude: POLLING,
    timeoutMs: 120_000,
    isolate: false,
    setupFiles: ['tooling/fresh-page.ts', PAGE],
  },
  {
    name: 'page-polls',
    include: POLLING,
    timeoutMs: 120_000,
    isolate: true,
    // Contexts of one thread share what they compile. A single worker would be handed all files at once, in one context.
    ...(workers === 1 ? {} : { pool: 'vmThreads' }),
    setupFiles: [PAGE],
  },
  // Needs SQLite, a program of the machine, or the built program.
  {
    name: 'native',
    include: unitTestsOf([
      'packages/sqlite/src',
      'packages/history/src',
      'packages/redact/src',
      'packages/deploy/src',
      'packages/doctor/src',
      'packages/setup/src',
      'apps/cli/src',
      'tooling',
    ]),
    exclude: LONG,
    timeoutMs: 120_000,
    isolate: false,
  },
  // The whole program, one file a command.
  {
    name: 'program',
    include: unitTestsOf(['tests/program']),
    exclude: ['tests/program/dashboard/**'],
    timeoutMs: 180_000,
    isolate: true,
  },
  // The views of the page, as a browser draws them.
  {
    name: 'browser',
    include: unitTestsOf(['tests/program/dashboard']),
    timeoutMs: 180_000,
    isolate: true,
  },
  // The fault matrix, fuzzing, crashes, storage and the long runs in a browser: `npm run test:system`.
  {
    name: 'system',
    include: [...unitTestsOf(['tests/system']), ...LONG],
    timeoutMs: 300_000,
    isolate: true,
  },
]

const configured = ({
  name,
  include,
  exclude: others = [],
  timeoutMs,
  isolate,
  pool,
  setupFiles = [],
}: Project): TestProjectConfiguration => ({
  extends: true,
  test: {
    name,
    setupFiles: ['tooling/property-seed.ts', ...setupFiles],
    include: [...include],
    exclude: [...exclude, ...others],
    isolate,
    ...(pool === undefined ? {} : { pool }),
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    // A title that a table gives is shown whole.
    chaiConfig: { truncateThreshold: 120 },
  },
})

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    // What is inherited here goes before the flag of the command line.
    maxWorkers: workers,
    sequence: { sequencer: LongFilesFirst },
    projects: projects.map(configured),
  },
})
