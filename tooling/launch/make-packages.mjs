import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { run } from './child.mjs'
import { Failure } from './failure.mjs'
import { PNPM } from './packages.mjs'
import { top } from './top.mjs'

/**
 * The program, and the rules and the client for scripts of others, in a file each.
 * @param {Pick<import('./screen.mjs').Screen, 'begin' | 'line'>} screen
 */
export async function makePackages(screen, folder = top) {
  const phase = screen.begin('Packing')
  const files = []
  for (const part of ['apps/cli', 'packages/core', 'packages/client']) {
    const pack = ['--yes', PNPM, 'pack', '--pack-destination', folder]
    const { code, output } = await run('npx', pack, { cwd: join(top, part) })
    const file = /[\w.-]+\.tgz/.exec(output)?.[0]
    if (code !== 0 || file === undefined) {
      phase.failed()
      throw new Failure('The package could not be made; the reason stands above.', output)
    }
    files.push(file)
  }
  phase.done()
  screen.line(`${files[0]} is made: npm install --global ./${files[0]}`)
  screen.line(
    `${files[1]} is made, the rules alone, and ${files[2]}, the client: npm install <path of it>, in a project of yours`,
  )
}

const FOLDER = join(top, 'integrations/cliproxyapi-scheduler')
const NAME = 'quota-scheduler'
/** The C library from which on the official files of the proxy run. */
const GLIBC = '2.17'

/** What the library is built for, as Rust calls it and as the proxy's store does. */
const TARGETS = [
  { target: 'x86_64-unknown-linux-gnu', platform: 'linux_amd64' },
  { target: 'aarch64-unknown-linux-gnu', platform: 'linux_arm64' },
]

/**
 * The plugin as the proxy's store takes it: a zip for each target that is installed, and their checksums.
 * @param {Pick<import('./screen.mjs').Screen, 'begin' | 'line'>} screen
 */
export async function makePluginPackages(screen, folder = join(FOLDER, 'target/store')) {
  const version = /^version = "([^"]+)"/m.exec(
    readFileSync(join(FOLDER, 'Cargo.toml'), 'utf8'),
  )?.[1]
  if ((await run('cargo', ['zigbuild', '--help'])).code !== 0)
    throw new Failure(
      `The plugin is not packed, because it needs cargo and cargo-zigbuild to run from glibc ${GLIBC} on: install Rust, then "pip install cargo-zigbuild ziglang".`,
    )
  mkdirSync(folder, { recursive: true })
  /** @type {string[]} */
  const checksums = []
  for (const { target, platform } of TARGETS) {
    if (!(await isInstalled(target))) {
      screen.line(
        `${platform} is left out, because ${target} is not installed: rustup target add ${target}`,
      )
      continue
    }
    const phase = screen.begin(`Building the plugin for ${platform}`)
    const { code, output } = await run(
      'cargo',
      ['zigbuild', '--release', '--locked', '--target', `${target}.${GLIBC}`],
      { cwd: FOLDER },
    )
    if (code !== 0) {
      phase.failed()
      throw new Failure('The plugin could not be built; the reason stands above.', output)
    }
    const library = readFileSync(join(FOLDER, 'target', target, 'release/libquota_scheduler.so'))
    phase.done()
    const file = `${NAME}_${version}_${platform}.zip`
    const zip = storeZip(`${NAME}-v${version}.so`, library)
    writeFileSync(join(folder, file), zip)
    checksums.push(`${createHash('sha256').update(zip).digest('hex')}  ${file}`)
    screen.line(`${join(folder, file)} is made, for glibc ${newestGlibc(library)} and newer`)
  }
  if (checksums.length === 0)
    throw new Failure('The plugin is not packed, because no target of it is installed.')
  writeFileSync(join(folder, 'checksums.txt'), `${checksums.join('\n')}\n`)
}

/** @param {string} target */
async function isInstalled(target) {
  const { code, output } = await run('rustc', ['--print', 'target-libdir', '--target', target])
  return code === 0 && existsSync(output.trim())
}

/**
 * One library at the root of a zip, the same bytes at every build.
 * @param {string} name
 * @param {Uint8Array} library
 */
function storeZip(name, library) {
  const executable = { os: 3, attrs: 0o755 << 16, mtime: '2026-01-01T00:00:00Z' }
  return zipSync({ [name]: [library, executable] })
}

/**
 * The newest version of glibc that the library asks for. Throws Failure if that is newer than it should be.
 * @param {Buffer} library
 */
export function newestGlibc(library) {
  const minors = [...library.toString('latin1').matchAll(/\0GLIBC_2\.(\d+)/g)].map(([, minor]) =>
    Number(minor),
  )
  const newest = `2.${Math.max(...minors)}`
  if (Math.max(...minors) > Number(GLIBC.slice(2)))
    throw new Failure(`The plugin would need glibc ${newest}, which is newer than ${GLIBC}.`)
  return newest
}
