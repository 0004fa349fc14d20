import { accessSync, constants, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './child.mjs'
import { Failure, installationFailure } from './failure.mjs'
import { top } from './top.mjs'

/** The version of pnpm all commands use, as in `pnpm@10.34.9`. */
export const PNPM = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')).packageManager

/**
 * Installs what the lockfile names; does nothing where that is installed.
 * @param {import('./screen.mjs').Screen} screen
 */
export async function installPackages(screen) {
  if (isInstalled()) return
  requireWritable()
  const phase = screen.begin('Installing packages')
  // Compiling SQLite is a step of its own, so its script fails at once here: its shell is Node, which does not know such commands.
  // It is an optional dependency, so pnpm goes on. With --ignore-scripts it would not use an SQLite that it has compiled before.
  const { code, output } = await run('npx', [
    '--yes',
    PNPM,
    'install',
    '--frozen-lockfile',
    `--config.script-shell=${process.execPath}`,
  ])
  if (code !== 0) {
    phase.failed()
    throw installationFailure(output)
  }
  phase.done()
}

/** pnpm keeps a copy of the lockfile it has installed. */
function isInstalled() {
  try {
    return readFileSync(join(top, 'node_modules/.pnpm/lock.yaml')).equals(
      readFileSync(join(top, 'pnpm-lock.yaml')),
    )
  } catch {
    return false
  }
}

function requireWritable() {
  try {
    accessSync(top, constants.W_OK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown'
    throw new Failure(
      `${top} cannot be written (${code}): give it to your user, or clone the repository into a folder of your own.`,
    )
  }
}
