import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './child.mjs'
import { phaseFailure } from './failure.mjs'
import { top } from './top.mjs'

/**
 * Runs a task of turbo.json for one package and what it depends on, or for all. Shown is only what a task that failed has said.
 * @param {string} task
 * @param {string | null} name
 */
async function runTask(task, name) {
  const filter = name === null ? [] : [`--filter=${name}`]
  const args = ['run', task, '--output-logs=errors-only', '--log-prefix=none', ...filter]
  return run(process.execPath, ['node_modules/turbo/bin/turbo', ...args], {
    // Turbo calls pnpm, which need not be installed on the machine.
    env: {
      TURBO_TELEMETRY_DISABLED: '1',
      BUILD_COMMIT: await commitOf(),
      PATH: `${join(top, 'node_modules/.bin')}:${process.env.PATH}`,
    },
  })
}

/** The commit of the checkout, `-dirty` if files of it are changed; empty outside of a repository. */
export async function commitOf() {
  const describe = ['describe', '--always', '--dirty', '--abbrev=9', '--exclude=*']
  const { code, output } = await run('git', describe)
  return code === 0 ? output.trim() : ''
}

/** @typedef {'program' | 'everything'} Build */

/**
 * Builds what is stale.
 * @param {import('./screen.mjs').Screen} screen
 * @param {Build} name
 */
export async function build(screen, name) {
  const phase = screen.begin('Building')
  // Turbo restores files beside those of an earlier build, and the program takes all of this folder along.
  removeBuilt('apps/dashboard')
  const { code, output } = await runTask('build', name === 'program' ? 'svc-quota-monitor' : null)
  if (code !== 0) {
    phase.failed()
    throw phaseFailure('The build failed; the reason stands above.', output)
  }
  phase.done()
}

/**
 * Removes what an earlier build has left of a package.
 * @param {string} folder
 */
export function removeBuilt(folder) {
  rmSync(join(top, folder, 'dist'), { recursive: true, force: true })
}

/** The checks that run nothing of ours, by task. */
const CHECKS = [
  { label: 'Checking types', task: 'typecheck' },
  { label: 'Checking style and unused code', task: 'check' },
]

/**
 * Runs every check, also after one that failed. Resolves with how many failed; what these said is shown whole.
 * @param {import('./screen.mjs').Screen} screen
 */
export async function runChecks(screen) {
  let failed = 0
  for (const { label, task } of CHECKS) {
    const phase = screen.begin(label)
    const { code, output } = await runTask(task, null)
    if (code === 0) phase.done()
    else {
      failed += 1
      phase.failed()
      screen.line(output.trimEnd())
    }
  }
  return failed
}
