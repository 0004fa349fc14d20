import { randomInt } from 'node:crypto'
import { run } from './child.mjs'
import { reportTests, runTests, testAll, testRuntime } from './tests.mjs'
import { runChecks } from './turbo.mjs'

/** @typedef {import('./screen.mjs').Screen} Screen */

/**
 * An npm script: what it needs besides installed packages, and what it does then.
 * @typedef {object} Command
 * @property {import('./turbo.mjs').Build | null} builds
 * @property {boolean} [sqlite] It opens a store, so SQLite must be there.
 * @property {(screen: Screen) => Promise<boolean>} [work] Its phases; resolves with false when one failed.
 * @property {readonly string[]} [program] A module that takes the process over in the end, and its arguments; those of the user are added.
 */

/** @type {Readonly<Record<string, Command>>} */
export const commands = {
  demo: { builds: 'program', program: ['apps/cli/dist/main.js', '--demo'] },
  live: { builds: 'everything', sqlite: true, program: ['tooling/dist/live.js'] },
  test: { builds: null, work: testAll },
  'test:runtime': { builds: 'everything', sqlite: true, work: testRuntime },
  'test:system': { builds: 'everything', sqlite: true, work: testSystem },
  'test:instants': { builds: 'everything', sqlite: true, program: ['tooling/launch/instants.mjs'] },
  build: { builds: 'everything' },
  sqlite: { builds: null, sqlite: true },
  check: { builds: null, work: async (screen) => (await runChecks(screen)) === 0 },
  format: { builds: null, work: format },
  smoke: { builds: 'everything', program: ['tooling/dist/smoke-demo.js'] },
  golden: { builds: 'everything', sqlite: true, work: rewriteGoldenFiles },
  openapi: { builds: 'everything', program: ['tooling/dist/openapi.js'] },
  docs: { builds: 'everything', program: ['tooling/dist/docs.js'] },
  screenshots: { builds: 'everything', program: ['tooling/dist/dashboard/screenshots.js'] },
  package: { builds: null, program: ['tooling/launch/package.mjs'] },
  backtest: { builds: 'everything', program: ['tooling/dist/backtest.js'] },
  bench: { builds: 'everything', sqlite: true, program: ['tooling/dist/bench/bench.js'] },
  'bench:store': {
    builds: 'everything',
    sqlite: true,
    program: ['tooling/dist/bench-store/bench-store.js'],
  },
  'bench:switch': { builds: 'everything', program: ['tooling/dist/dashboard/switch-times.js'] },
  'attack:redact': { builds: null, sqlite: true, work: attackRedaction },
  'bench:redact': { builds: 'everything', sqlite: true, program: ['tooling/dist/bench-redact.js'] },
  readability: {
    builds: 'everything',
    sqlite: true,
    program: ['tooling/dist/redact-readability.js'],
  },
  'crash-loop': {
    builds: 'everything',
    sqlite: true,
    program: ['tooling/dist/faults/crash-loop.js'],
  },
  shape: { builds: 'everything', program: ['tooling/dist/print-shape.js'] },
  faults: {
    builds: 'everything',
    sqlite: true,
    work: testFaults,
    program: ['tooling/dist/fault-table.js'],
  },
  soak: { builds: 'everything', sqlite: true, program: ['tooling/dist/soak.js'] },
}

/** @param {Screen} screen */
async function testSystem(screen) {
  const projects = ['--project', 'browser', '--project', 'system']
  // Most of the time they wait for a clock of the program, so more of them run side by side than there are processors.
  const env = { TEST_WORKERS: '5', TEST_SIZE: 'full' }
  return reportTests(screen, [
    await runTests(screen, 'Testing the whole system', projects, { env }),
  ])
}

/** @param {Screen} screen */
async function attackRedaction(screen) {
  const attack = ['packages/redact/src/attack.test.ts']
  const seed = process.env.ATTACK_SEED ?? String(randomInt(1_000_000))
  return reportTests(screen, [
    await runTests(screen, `Planting 100,000 secrets (ATTACK_SEED=${seed})`, attack, {
      env: { ATTACK_PLANTS: '100000', ATTACK_SEED: seed },
    }),
  ])
}

/** @param {Screen} screen */
async function testFaults(screen) {
  const results = ['--reporter=json', '--outputFile.json=test-results.json']
  return reportTests(screen, [
    await runTests(screen, 'Testing faults', [
      'tests/system/faults',
      'tests/system/postgres',
      ...results,
    ]),
  ])
}

/** @param {Screen} screen */
async function rewriteGoldenFiles(screen) {
  const files = [
    'tests/program/chinese.test.ts',
    'tests/program/demo.test.ts',
    'tests/program/fleet.test.ts',
    'apps/cli/src/run-cli.test.ts',
    'packages/redact/src/vocabulary/product-words.test.ts',
  ]
  return (await runTests(screen, 'Rewriting golden files', [...files, '--update'])).failed === 0
}

/** @param {Screen} screen */
async function format(screen) {
  const phase = screen.begin('Formatting')
  const { code, output } = await run(process.execPath, [
    'node_modules/@biomejs/biome/bin/biome',
    'check',
    '--write',
    '.',
  ])
  phase.done()
  if (code !== 0) screen.line(output.trimEnd())
  return code === 0
}
