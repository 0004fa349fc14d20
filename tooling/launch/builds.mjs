import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './child.mjs'
import { Failure } from './failure.mjs'
import { top } from './top.mjs'

const PACKAGES = ['core', 'views', 'config', 'collector', 'history', 'demo'].map((name) => `packages/${name}`)
const SOURCES = [...PACKAGES, 'apps/server'].map((folder) => `${folder}/src`)

/**
 * Everything that is built, in the order of dependence: from what, where, by which program, and what is there then.
 * @type {Readonly<Record<'page' | 'program' | 'declarations' | 'tools', {
 *   readonly from: readonly string[], readonly cwd: string, readonly args: readonly string[], readonly makes: string }>>}
 */
const BUILDS = {
  page: {
    from: ['apps/dashboard', 'packages/core/src', 'packages/views/src'],
    cwd: 'apps/dashboard',
    args: ['build.mjs'],
    makes: 'apps/dashboard/dist/index.html',
  },
  program: { from: [...SOURCES, 'apps/cli', 'apps/dashboard'], cwd: 'apps/cli', args: ['esbuild.mjs'], makes: 'apps/cli/dist/main.js' },
  declarations: {
    from: SOURCES,
    cwd: '.',
    args: ['node_modules/typescript/bin/tsc', '-b', ...PACKAGES, 'apps/server'],
    makes: 'packages/core/dist/index.js',
  },
  tools: { from: [...SOURCES, 'tooling', 'tests'], cwd: 'tooling', args: ['esbuild.mjs'], makes: 'tooling/dist/live.js' },
}

/** @typedef {keyof typeof BUILDS} Build */
export const ALL_BUILDS = /** @type {readonly Build[]} */ (Object.keys(BUILDS))

/** What every build is made from besides its own files. */
const COMMON = ['package.json', 'pnpm-lock.yaml', 'tsconfig.base.json']
/** What builds and installations write beside the sources. */
const MADE = new Set(['LICENSE', 'dist', 'node_modules', 'tsconfig.tsbuildinfo'])
/** Holds one file a build: the fingerprint of what it was made from. */
const STAMPS = join(top, 'node_modules/.cache/launch')

/**
 * Builds what is stale.
 * @param {import('./screen.mjs').Screen} screen
 * @param {readonly Build[]} names
 */
export async function build(screen, names) {
  const stale = names.filter((name) => !isCurrent(name))
  if (stale.length === 0) return
  const phase = screen.begin('Building')
  mkdirSync(STAMPS, { recursive: true })
  for (const name of stale) {
    const { cwd, args } = BUILDS[name]
    // Taken first, so that a file that is saved meanwhile makes the build stale.
    const fingerprint = fingerprintOf(name)
    const { code, output } = await run(process.execPath, args, { cwd: join(top, cwd) })
    if (code !== 0) {
      phase.failed()
      throw new Failure(`The ${name} could not be built; the reason stands above.`, output)
    }
    writeFileSync(join(STAMPS, name), fingerprint)
  }
  phase.done()
}

/** @param {Build} name */
function isCurrent(name) {
  const stamp = join(STAMPS, name)
  return existsSync(join(top, BUILDS[name].makes)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprintOf(name)
}

/**
 * Changes with every file that is added, changed or taken away.
 * @param {Build} name
 */
function fingerprintOf(name) {
  const hash = createHash('sha256')
  for (const path of [...COMMON, ...BUILDS[name].from]) addTo(hash, path)
  return hash.digest('hex')
}

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} path
 */
function addTo(hash, path) {
  const stats = statSync(join(top, path), { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isDirectory()) {
    hash.update(`${path} ${stats.size} ${stats.mtimeMs}\n`)
    return
  }
  for (const name of readdirSync(join(top, path)).sort()) if (!MADE.has(name)) addTo(hash, `${path}/${name}`)
}
