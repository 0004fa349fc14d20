import { runTask } from './turbo.mjs'

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
