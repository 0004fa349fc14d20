import { existsSync, realpathSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { run } from './child.mjs'
import { diskCause, Failure } from './failure.mjs'
import { hasOwnSqlite, prefersOwnSqlite } from './own-sqlite.mjs'
import { PNPM } from './packages.mjs'
import { top } from './top.mjs'

/** A workspace package that depends on better-sqlite3. */
const DEPENDENT = join(top, 'packages/sqlite')

/** What compiling needs besides Node: any one of each row. */
const TOOLS = [
  ['python3', 'python3', 'python'],
  ['make', 'make', 'gmake'],
  ['g++', 'g++', 'c++', 'clang++'],
]

/**
 * Sees to it that SQLite can be opened. Nothing is done if that of Node comes first. Else a ready-made binary of better-sqlite3 is fetched, or it is
 * compiled, unless Node brings an SQLite of its own; CI tests both. False without better-sqlite3. Throws Failure, whose `missingTools` names what a compiler lacks on this machine.
 * @param {import('./screen.mjs').Screen} screen
 */
export async function provideSqlite(screen) {
  if (prefersOwnSqlite) return false
  if (await isSqliteThere()) return true
  const fetching = screen.begin('Fetching SQLite')
  if (await fetchSqlite()) {
    fetching.done()
    return true
  }
  fetching.drop()
  if (hasOwnSqlite && process.env.CI === undefined) return false
  screen.line(
    'Compiling SQLite (better-sqlite3) for the usage history, because no ready-made binary could be fetched; this usually takes one to two minutes.',
  )
  const compiling = screen.begin('Compiling SQLite')
  // pnpm keeps what it has compiled in its store, so that the next clone need not.
  const { output } = await run('npx', ['--yes', PNPM, 'rebuild', 'better-sqlite3'], {
    cwd: DEPENDENT,
    env: { npm_config_build_from_source: 'true' },
  })
  if (await isSqliteThere()) {
    compiling.done()
    return true
  }
  compiling.failed()
  throw new SqliteFailure(output)
}

/** SQLite could not be compiled. */
export class SqliteFailure extends Failure {
  /** @param {string} output */
  constructor(output) {
    const missingTools = TOOLS.filter(([, ...names]) => !names.some(isOnPath)).map(([tool]) => tool)
    const works = 'The demo and every check that opens no store work without it.'
    if (missingTools.length > 0) {
      super(
        `SQLite cannot be compiled without ${missingTools.join(', ')} (Debian: apt-get install ${missingTools.join(' ')}). ${works}`,
      )
    } else if (/headers|node_api\.h|node\.h: No such file/i.test(output)) {
      super(
        `SQLite cannot be compiled without the headers of Node, which could not be fetched (npm config set nodedir names those of this machine). ${works}`,
      )
    } else if (diskCause(output) !== null) {
      super(`${diskCause(output)} ${works}`)
    } else {
      super(`SQLite could not be compiled; what the compiler said stands above. ${works}`, output)
    }
    this.missingTools = missingTools
  }
}

/** Opening a database also tells a binary that was built for another version of Node. */
async function isSqliteThere() {
  const { code } = await run(
    process.execPath,
    ['-e', "new (require('better-sqlite3'))(':memory:').close()"],
    { cwd: DEPENDENT },
  )
  return code === 0
}

async function fetchSqlite() {
  const folder = realpathSync(join(DEPENDENT, 'node_modules/better-sqlite3'))
  // It may be one file with that of pnpm's store and of other clones: take it away rather than write over it.
  rmSync(join(folder, 'build'), { recursive: true, force: true })
  const { code } = await run(process.execPath, [join(dirname(folder), 'prebuild-install/bin.js')], {
    cwd: folder,
  })
  return code === 0 && (await isSqliteThere())
}

/** @param {string} name */
function isOnPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)))
}
