import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Failure } from '../../tooling/launch/failure.mjs'
import { makePluginPackages, newestGlibc } from '../../tooling/launch/make-packages.mjs'
import { top } from '../../tooling/top.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-plugin-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const isThere = (command: string) => spawnSync('cargo', [command, '--help']).status === 0

/** Unpacks a zip as Python does, loads its only file, and looks for what the proxy calls first. */
const LOAD = `import ctypes, json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
archive.extractall(sys.argv[2])
names = archive.namelist()
print(json.dumps([names, bool(ctypes.CDLL(sys.argv[2] + "/" + names[0]).cliproxy_plugin_init)]))`

it('the packages of the plugin are as the store of the proxy takes them, and load', async (context) => {
  if (!isThere('build')) context.skip('skipped, because there is no cargo')
  if (!isThere('zigbuild') && process.env.CI === undefined)
    context.skip('skipped, because there is no cargo-zigbuild')
  const lines: string[] = []
  const phase = { note() {}, done() {}, failed() {}, drop() {} }
  await makePluginPackages({ line: (text) => void lines.push(text), begin: () => phase }, folder)
  const platform = process.arch === 'arm64' ? 'linux_arm64' : 'linux_amd64'
  const [, version = ''] =
    /^version = "(.+)"$/m.exec(
      readFileSync(join(top, 'integrations/cliproxyapi-scheduler/Cargo.toml'), 'utf8'),
    ) ?? []
  const file = `quota-scheduler_${version}_${platform}.zip`
  const zip = join(folder, file)

  expect(lines).toContain(`${zip} is made, for glibc 2.17 and newer`)
  const checksum = createHash('sha256').update(readFileSync(zip)).digest('hex')
  expect(readFileSync(join(folder, 'checksums.txt'), 'utf8').split('\n')).toContain(
    `${checksum}  ${file}`,
  )
  const script = join(folder, 'load.py')
  writeFileSync(script, LOAD)
  const loaded = spawnSync('python3', [script, zip, folder], { encoding: 'utf8' })
  expect([JSON.parse(loaded.stdout), loaded.stderr]).toEqual([
    [[`quota-scheduler-v${version}.so`], true],
    '',
  ])
})

it('the tools that a machine lacks are named', async () => {
  const programOf = () => statSync(join(top, 'apps/cli/dist/main.js')).ctimeMs
  const built = programOf()
  const without = spawnSync(
    process.execPath,
    [join(top, 'tooling/launch/launch.mjs'), 'package', '--plugin'],
    { env: { PATH: folder }, encoding: 'utf8' },
  )

  expect([without.status, without.stderr]).toEqual([
    1,
    'The plugin is not packed, because it needs cargo and cargo-zigbuild to run from glibc 2.17 on: install Rust, then "pip install cargo-zigbuild ziglang".\n',
  ])
  // Other tests run the program meanwhile.
  expect(programOf()).toBe(built)
})

it('a library that asks for a newer glibc is not packed', () => {
  const asking = (...versions: readonly string[]) =>
    Buffer.from(versions.map((version) => `\0GLIBC_${version}`).join('\0'))

  expect(newestGlibc(asking('2.2.5', '2.17', '2.3'))).toBe('2.17')
  expect(() => newestGlibc(asking('2.2.5', '2.34'))).toThrow(Failure)
})
