import { run } from './child.mjs'

const TSC = 'node_modules/typescript/bin/tsc'

/** The checks that run nothing of ours: what each is called, and the programs of it. */
const CHECKS = [
  {
    label: 'Checking types',
    programs: [
      'tsconfig.json',
      'tsconfig.pure.json',
      'apps/dashboard/tsconfig.json',
      'tests/tsconfig.browser.json',
    ].map((project) => [TSC, '-p', project]),
  },
  {
    label: 'Checking style',
    programs: [['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  },
  { label: 'Looking for unused code', programs: [['node_modules/knip/bin/knip.js']] },
]

/**
 * Runs every check, also after one that failed. Resolves with how many failed; what these said is shown whole.
 * @param {import('./screen.mjs').Screen} screen
 */
export async function runChecks(screen) {
  let failed = 0
  for (const { label, programs } of CHECKS) {
    const phase = screen.begin(label)
    let problems = ''
    for (const args of programs) {
      const { code, output } = await run(process.execPath, args)
      if (code !== 0) problems += output
    }
    if (problems === '') phase.done()
    else {
      failed += 1
      phase.failed()
      screen.line(problems.trimEnd())
    }
  }
  return failed
}
