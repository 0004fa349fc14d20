import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from './child.mjs'
import { phaseFailure } from './failure.mjs'
import { top } from './top.mjs'

/**
 * What is built into the `dist` of its folder: by which Node program there, once what is built before it, and from what besides its own folder.
 * @typedef {{ readonly program: readonly string[], readonly after?: string, readonly from: readonly string[] }} Step
 */

/** Programs and page are bundled from the sources of the packages; of these core and the client are built, for scripts of others.
 * @type {Readonly<Record<string, Step>>} */
const STEPS = {
  'packages/core': { program: ['../../node_modules/typescript/bin/tsc', '-p', '.'], from: [] },
  'packages/client': { program: ['build.mjs'], after: 'packages/core', from: ['packages'] },
  'apps/dashboard': { program: ['build.mjs'], from: ['packages', 'apps/cli/package.json'] },
  'apps/cli': {
    program: ['esbuild.mjs'],
    after: 'apps/dashboard',
    from: ['packages', 'apps/dashboard', 'apps/server'],
  },
  tooling: { program: ['esbuild.mjs'], from: ['packages', 'apps/cli', 'apps/server'] },
}
/** Every step depends on these too. */
const SETTINGS = ['tsconfig.base.json', 'pnpm-lock.yaml']

/** @typedef {'program' | 'everything'} Build */

/**
 * Builds what is stale.
 * @param {import('./screen.mjs').Screen} screen
 * @param {Build} name
 */
export async function build(screen, name) {
  const phase = screen.begin('Building')
  /** @type {Record<string, Promise<string>>} */
  const outputs = {}
  /** @param {string} folder */
  const built = (folder) => (outputs[folder] ??= buildStep(folder, built))
  const folders = name === 'program' ? ['apps/cli'] : Object.keys(STEPS)
  const failed = (await Promise.all(folders.map(built))).find((output) => output !== '')
  if (failed !== undefined) {
    phase.failed()
    throw phaseFailure('The build failed; the reason stands above.', failed)
  }
  phase.done()
}

/**
 * Resolves with what a step that failed has said, or with ''.
 * @param {string} folder
 * @param {(folder: string) => Promise<string>} built
 */
async function buildStep(folder, built) {
  const { program, after, from } = /** @type {Step} */ (STEPS[folder])
  const before = after === undefined ? '' : await built(after)
  if (before !== '') return before
  const stamp = join(top, 'node_modules/.built', folder)
  const digest = digestOf([folder, ...from, ...SETTINGS])
  const isFresh = existsSync(join(top, folder, 'dist')) && existsSync(stamp)
  if (isFresh && readFileSync(stamp, 'utf8') === digest) return ''
  const { code, output } = await run(process.execPath, program, { cwd: join(top, folder) })
  if (code !== 0) return output || `${program[0]} ended with ${code}`
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, digest)
  return ''
}

/**
 * Of the names and contents of all files a build may read, so that an older one in its place is seen too.
 * @param {readonly string[]} paths
 */
function digestOf(paths) {
  const digest = createHash('sha256')
  /** @param {string} path */
  const add = (path) => {
    if (/(^|\/)(node_modules|dist)$|\.(test\.ts|tgz)$/.test(path)) return
    const file = join(top, path)
    if (statSync(file).isDirectory()) {
      for (const entry of readdirSync(file).sort()) add(`${path}/${entry}`)
    } else digest.update(`${path}\0`).update(readFileSync(file))
  }
  for (const path of paths) add(path)
  return digest.digest('hex')
}
