import { run } from './child.mjs'
import { phaseFailure } from './failure.mjs'
import { PNPM } from './packages.mjs'

/** What can be built: a workspace package with all that turbo.json says it depends on, or everything. */
const FILTERS = {
  // The program and its page are bundled from the sources of the packages, so nothing else is built for them.
  program: ['--filter=svc-quota-monitor'],
  everything: [],
}

/** @typedef {keyof typeof FILTERS} Build */

/**
 * Builds what is stale.
 * @param {import('./screen.mjs').Screen} screen
 * @param {Build} name
 */
export async function build(screen, name) {
  const phase = screen.begin('Building')
  // turbo asks for pnpm on the path.
  const args = [
    '--yes',
    PNPM,
    'exec',
    'turbo',
    'run',
    'build',
    '--output-logs=errors-only',
    ...FILTERS[name],
  ]
  const { code, output } = await run('npx', args, {
    env: { TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
  })
  if (code !== 0) {
    phase.failed()
    throw phaseFailure('The build failed; the reason stands above.', output)
  }
  phase.done()
}
