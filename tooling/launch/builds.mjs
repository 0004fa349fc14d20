import { phaseFailure } from './failure.mjs'
import { runTask } from './turbo.mjs'

/** @typedef {'program' | 'everything'} Build */

/**
 * Builds what is stale.
 * @param {import('./screen.mjs').Screen} screen
 * @param {Build} name
 */
export async function build(screen, name) {
  const phase = screen.begin('Building')
  const { code, output } = await runTask('build', name === 'program' ? 'svc-quota-monitor' : null)
  if (code !== 0) {
    phase.failed()
    throw phaseFailure('The build failed; the reason stands above.', output)
  }
  phase.done()
}
