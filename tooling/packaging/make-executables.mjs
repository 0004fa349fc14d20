import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../launch/child.mjs'
import { Failure } from '../launch/failure.mjs'
import { top } from '../launch/top.mjs'
import { commitOf } from '../launch/turbo.mjs'

const NODE_VERSION = '24.22.3'
/** Packages of npm with Node alone, and the checksums that they have had from the first. */
export const PLATFORMS = {
  'linux-x64':
    'sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==',
  'linux-arm64':
    'sha512-IZx0J52/1NDwAsY2iyWR9nlPIYuYviTWetjj8+ElvYQh2+XRhLfCfkbFEF/2O5vGI2hcUbyPNHV+nz342FbJXw==',
}
/** Marks of Node's own, from its documentation of single executable applications. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** @typedef {keyof typeof PLATFORMS} Platform */

const own = /** @type {Platform} */ (`${process.platform}-${process.arch}`)

/**
 * An archive with the executable for each platform, their checksums, and the script that installs from them.
 * @param {Pick<import('../launch/screen.mjs').Screen, 'begin' | 'line'>} screen
 */
export async function makeExecutables(
  screen,
  folder = join(top, 'executables'),
  platforms = /** @type {readonly Platform[]} */ (Object.keys(PLATFORMS)),
  gzipLevel = 6,
) {
  if (!Object.hasOwn(PLATFORMS, own))
    throw new Failure(
      `Executables are made on ${Object.keys(PLATFORMS).join(' or ')}, not on ${own}.`,
    )
  const { version } = JSON.parse(readFileSync(join(top, 'apps/cli/package.json'), 'utf8'))
  const work = mkdtempSync(join(tmpdir(), 'svc-executable-'))
  try {
    await done(screen, 'Bundling', 'node', ['esbuild.mjs', 'executable', join(work, 'parts')], {
      cwd: join(top, 'apps/cli'),
      env: { BUILD_COMMIT: await commitOf() },
    })
    const parts = partsIn(join(work, 'parts'))
    mkdirSync(folder, { recursive: true })
    const checksums = []
    for (const platform of platforms) {
      const name = `svc-quota-monitor-${version}-${platform}`
      const into = join(work, name)
      mkdirSync(into)
      await makeExecutable(screen, { platform, work, parts, file: join(into, 'svc-quota-monitor') })
      copyFileSync(join(work, 'parts/LICENCES.txt'), join(into, 'LICENCES.txt'))
      copyFileSync(join(work, platform, 'package/LICENSE'), join(into, 'LICENSE-Node'))
      copyFileSync(join(top, 'LICENSE'), join(into, 'LICENSE'))
      const archive = join(folder, `${name}.tar.gz`)
      const compressed = ['-I', `gzip -${gzipLevel}`, '-cf', archive]
      const tar = ['--owner=0', '--group=0', ...compressed, '-C', work, name]
      await done(screen, `Packing for ${platform}`, 'tar', tar)
      const sum = createHash('sha256').update(readFileSync(archive)).digest('hex')
      checksums.push(`${sum}  ${name}.tar.gz`)
      screen.line(`${archive} is made`)
    }
    writeFileSync(join(folder, 'checksums.txt'), `${checksums.join('\n')}\n`)
    copyFileSync(join(import.meta.dirname, 'install.sh'), join(folder, 'install.sh'))
    screen.line(`To install: sh ${join(folder, 'install.sh')}`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Node with the program in it.
 * @param {Pick<import('../launch/screen.mjs').Screen, 'begin' | 'line'>} screen
 * @param {{ readonly platform: Platform, readonly work: string, readonly parts: object, readonly file: string }} plan
 */
async function makeExecutable(screen, { platform, work, parts, file }) {
  copyFileSync(await fetchNode(screen, platform, work), file)
  chmodSync(file, 0o755)
  // Without names of functions it is smaller by a seventh. The strip of a system may know its own platform alone.
  const isStripped =
    (await run('strip', ['--strip-all', file])).code === 0 ||
    (await run('llvm-strip', ['--strip-all', file])).code === 0
  if (!isStripped) screen.line(`${platform} keeps its symbols, because there is no llvm-strip`)

  const config = join(work, `${platform}.json`)
  const output = join(work, `${platform}.blob`)
  // Compiled code is that of one platform.
  writeFileSync(config, JSON.stringify({ ...parts, output, useCodeCache: platform === own }))
  const maker = await fetchNode(screen, own, work)
  const compile = ['--experimental-sea-config', config]
  await done(screen, `Compiling for ${platform}`, maker, compile)
  const postject = join(top, 'tooling/node_modules/postject/dist/cli.js')
  const inject = [postject, file, 'NODE_SEA_BLOB', output, '--sentinel-fuse', FUSE]
  await done(screen, `Making the executable for ${platform}`, process.execPath, inject)
}

/**
 * The path of Node for a platform, from the registry unless it is there.
 * @param {Pick<import('../launch/screen.mjs').Screen, 'begin'>} screen
 * @param {Platform} platform
 * @param {string} work
 */
async function fetchNode(screen, platform, work) {
  const unpacked = join(work, platform)
  const node = join(unpacked, 'package/bin/node')
  if (existsSync(node)) return node
  const name = `node-${platform}@${NODE_VERSION}`
  const pack = ['pack', '--json', '--loglevel=error', name]
  const [tarball] = JSON.parse(await done(screen, `Fetching ${name}`, 'npm', pack, { cwd: work }))
  if (tarball.integrity !== PLATFORMS[platform])
    throw new Failure(`${name} is another one than before: its checksum is ${tarball.integrity}.`)
  mkdirSync(unpacked)
  const tar = ['-xzf', join(work, tarball.filename), '-C', unpacked]
  await done(screen, `Unpacking ${name}`, 'tar', tar)
  return node
}

/**
 * The configuration of the executable, as Node takes it: the program, and the files that it reads with packages/monitor/src/threads/program-files.ts.
 * @param {string} folder
 */
function partsIn(folder) {
  /** @type {Record<string, string>} */
  const assets = {}
  const pages = ['dashboard/', 'dashboard/assets/']
  for (const part of ['', ...pages])
    for (const entry of readdirSync(join(folder, part), { withFileTypes: true }))
      if (entry.isFile()) assets[`${part}${entry.name}`] = join(folder, part, entry.name)
  for (const page of pages) {
    assets[page] = join(folder, `${page.replaceAll('/', '-')}names.json`)
    writeFileSync(assets[page], JSON.stringify(readdirSync(join(folder, page))))
  }
  return {
    main: join(folder, 'main.js'),
    disableExperimentalSEAWarning: true,
    execArgv: ['--disable-proto=delete'],
    assets,
  }
}

/**
 * Runs one step. Throws Failure with what it has said.
 * @param {Pick<import('../launch/screen.mjs').Screen, 'begin'>} screen
 * @param {string} label
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export async function done(screen, label, command, args, options) {
  const phase = screen.begin(label)
  const { code, output } = await run(command, args, options)
  if (code !== 0) {
    phase.failed()
    throw new Failure(`${label} failed; the reason stands above.`, output)
  }
  phase.done()
  return output
}
