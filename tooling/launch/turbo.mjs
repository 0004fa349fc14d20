import { join } from 'node:path'
import { run } from './child.mjs'
import { top } from './top.mjs'

/**
 * Runs a task of turbo.json for one package and what it depends on, or for all. Shown is only what a task that failed has said.
 * @param {string} task
 * @param {string | null} name
 */
export function runTask(task, name) {
  const filter = name === null ? [] : [`--filter=${name}`]
  const args = ['run', task, '--output-logs=errors-only', '--log-prefix=none', ...filter]
  return run(process.execPath, ['node_modules/turbo/bin/turbo', ...args], {
    // Turbo calls pnpm, which need not be installed on the machine.
    env: {
      TURBO_TELEMETRY_DISABLED: '1',
      PATH: `${join(top, 'node_modules/.bin')}:${process.env.PATH}`,
    },
  })
}
