import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Obstacle } from '@svc/sqlite'

/** Major version of better-sqlite3 that this program is made for. */
const MAJOR = 12
const FLAGS = '--allow-scripts=better-sqlite3 --foreground-scripts'
const NEEDS =
  'Where no ready-made binary can be fetched it compiles, with python3, make, g++ and the headers of Node, of which npm_config_nodedir names the folder.'

/** Remedy for a missing SQLite, with one whole line for a shell. `program` is a file of ours, `driver` the folder of better-sqlite3 if that is there. */
export function sqliteRemedy(obstacle: Obstacle, program: string, driver: string | null): string {
  const line = lineFor(obstacle, program, driver)
  return `Use Node 24 or later, whose own SQLite is used, or run \`${line}\` as the user who installed this program. ${NEEDS}`
}

function lineFor(obstacle: Obstacle, program: string, driver: string | null): string {
  const home = /^(.*)[\\/]node_modules[\\/]/.exec(program)?.[1]
  // npm installs every program below a folder of this name.
  if (home === undefined) return `npm --prefix ${shellWord(cloneOf(program))} run sqlite`
  // Its own script: what npm rebuild does depends on where and how this program was installed, and it may do nothing.
  if (obstacle !== 'not_installed' && driver !== null)
    return `npm --prefix ${shellWord(driver)} run install`
  const wanted = `better-sqlite3@${MAJOR}`
  if (existsSync(join(home, 'package.json')))
    return `npm --prefix ${shellWord(home)} install --foreground-scripts ${wanted}`
  const prefix = basename(home) === 'lib' ? dirname(home) : home
  return `npm install --global --prefix ${shellWord(prefix)} ${FLAGS} ${wanted}`
}

/** The folder of the clone that a file is in. */
function cloneOf(file: string): string {
  const folder = dirname(file)
  return folder === file || existsSync(join(folder, 'pnpm-workspace.yaml'))
    ? folder
    : cloneOf(folder)
}

function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
