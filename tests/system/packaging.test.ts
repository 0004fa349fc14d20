import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../tooling/service/built-program.ts'
import { startService } from '../../tooling/service/start-service.ts'
import { top } from '../../tooling/top.ts'

const PNPM = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')).packageManager as string
const folder = mkdtempSync(join(tmpdir(), 'svc-pack-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const INSTALL_BYTES_MAX = 25 * 1024 * 1024

function run(command: string, args: readonly string[], cwd = folder) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}

function packed(workspace: string): string {
  const { status, output } = run(
    'npx',
    ['--yes', PNPM, 'pack', '--pack-destination', folder],
    join(top, workspace),
  )
  if (status !== 0) throw new Error(output)
  return join(folder, /[\w.-]+\.tgz/.exec(output)?.[0] ?? '')
}

const bytesOf = (path: string): number =>
  statSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
    : statSync(path).size

describe('the package of the program', () => {
  const prefix = join(folder, 'installed')
  const command = (name: string) => join(prefix, 'bin', name)

  beforeAll(() => {
    // The native module takes a minute to build, and its tests are those of the store; everything else works without it.
    const installed = run('npm', [
      'install',
      '--global',
      '--prefix',
      prefix,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      packed('apps/cli'),
    ])
    if (installed.status !== 0) throw new Error(installed.output)
  })

  it('installs under both names, small, with the licences of what is in it', () => {
    const root = join(prefix, 'lib/node_modules/svc-quota-monitor')
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

    const { status, output } = run(command('sqm'), ['--version'])
    const [release, commit = ''] = output.replace(/^svc-quota-monitor (.*)\n$/, '$1').split('+')
    expect({ status, release }).toEqual({ status: 0, release: manifest.version })
    expect(commit).toMatch(/^(?:[\da-f]{9}(?:-dirty)?)?$/)
    expect(run(command('svc-quota-monitor'), ['print-config', '--config', 'off']).status).toBe(0)
    expect(bytesOf(prefix)).toBeLessThan(INSTALL_BYTES_MAX)
    // Neither workspace nor catalog names are left for npm to stumble over.
    expect(JSON.stringify([manifest.dependencies ?? {}, manifest.optionalDependencies])).toMatch(
      /^\[\{\},\{"better-sqlite3":"[\d.]+","pg":"[\d.]+"\}\]$/,
    )
    expect(readFileSync(join(root, 'dist/LICENCES.txt'), 'utf8')).toMatch(/^hono [\d.]+ \(MIT\)$/m)
    expect(readFileSync(join(root, 'LICENSE'), 'utf8')).toContain('MIT License')
  })

  it('serves the demo with its dashboard', async () => {
    const port = String(await freePort())
    const script = `
      const { spawn } = require('node:child_process')
      const child = spawn(${JSON.stringify(command('svc-quota-monitor'))}, ['--demo', '--port', '${port}'])
      child.stdout.once('data', async () => {
        const page = await fetch('http://127.0.0.1:${port}/')
        const ranking = await (await fetch('http://127.0.0.1:${port}/api/v1/recommendations')).json()
        console.log(page.status, page.headers.get('content-type'), ranking.items.length > 3)
        child.kill()
      })`

    expect(run(process.execPath, ['-e', script])).toEqual({
      status: 0,
      output: '200 text/html; charset=utf-8 true\n',
    })
  })
})

const packages = { rules: packed('packages/core'), client: packed('packages/client') }

describe.each(Object.entries(packages))('the package of the %s', (_name, tarball) => {
  it('has its README', () => {
    const { status, output } = run('tar', ['-xOf', tarball, 'package/README.md'])

    expect({ status, isOwn: /^# @svc\/(?:core|client)\n/.test(output) }).toEqual({
      status: 0,
      isOwn: true,
    })
  })

  it('is as consumers expect it: every entry there, with types, for every way to import it', () => {
    const tool = (name: string, args: readonly string[]) =>
      run(join(top, 'tests/node_modules/.bin', name), args)

    expect(tool('publint', ['run', tarball, '--strict'])).toMatchObject({ status: 0 })
    // It is an ES module, as Node from 20.19 on takes by require as well.
    expect(tool('attw', [tarball, '--profile', 'esm-only', '--no-color'])).toMatchObject({
      status: 0,
    })
  })
})

describe('a project of somebody else', () => {
  const project = join(folder, 'project')
  const SCRIPT = `
    import { ClientError, createClient, type Pick } from '@svc/client'
    const client = createClient({ url: process.argv[2] ?? '' })
    try {
      const { items, sampledAt } = await client.recommendations()
      const best: string | undefined = items[0]?.selector.authName
      const { verdict, units, reason } = await client.guard({ window: '5h', minUnits: 0 })
      // @ts-expect-error a window is named
      const wrong = () => client.guard({ window: 5 })
      const picked: () => Promise<Pick> = () => client.pick({ avoid: ['a.json'] })
      const follow = async () => {
        for await (const { event, data, id } of client.events())
          if (event === 'action') console.log(id, data.transition, data.item.title)
      }
      console.log(typeof best, sampledAt !== null, verdict, reason, typeof units, typeof wrong, typeof picked, typeof follow)
    } catch (error) {
      console.log(error instanceof ClientError ? error.code : error)
    }`

  beforeAll(() => {
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{"name":"project","type":"module"}')
    writeFileSync(join(project, 'main.mts'), SCRIPT)
    const options = ['--silent', '--offline', '--no-audit', '--no-fund']
    expect(run('npm', ['install', ...options, packages.client], project)).toMatchObject({
      status: 0,
    })
  })

  it('has nothing but the client', () => {
    expect(readdirSync(join(project, 'node_modules/@svc'))).toEqual(['client'])
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !/^\./.test(name))).toEqual([
      '@svc',
    ])
  })

  it('is checked against the types of the client, in Node and in a browser, and runs', async () => {
    const tsc = join(top, 'node_modules/typescript/bin/tsc')
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false']
    const target = ['--target', 'es2022', '--module', 'nodenext', '--noEmit']
    const node = ['--types', 'node', '--typeRoots', join(top, 'node_modules/@types')]
    const script = join(project, 'main.mts')
    expect(run(process.execPath, [tsc, ...strict, ...target, ...node, script], project)).toEqual({
      status: 0,
      output: '',
    })
    const page = join(project, 'page.mts')
    writeFileSync(page, SCRIPT.replace("process.argv[2] ?? ''", "'/'"))
    const browser = ['--types', '', '--lib', 'es2022,dom']
    expect(run(process.execPath, [tsc, ...strict, ...target, ...browser, page], project)).toEqual({
      status: 0,
      output: '',
    })
    expect(
      run(
        process.execPath,
        [tsc, ...strict, ...target, ...node, '--noEmit', 'false', script],
        project,
      ),
    ).toMatchObject({ status: 0 })

    const demo = await startService({
      where: 'program',
      args: ['--demo', '--port', String(await freePort())],
    })
    try {
      const { output } = run(process.execPath, [join(project, 'main.mjs'), demo.url], project)
      expect(output).toBe('string true enough enough number function function function\n')
    } finally {
      await demo.stop()
    }
  })
})
