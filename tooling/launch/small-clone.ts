import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { top } from '../top.ts'

/** Script of an `npx` that succeeds; like pnpm it leaves a copy of the lockfile. */
export const INSTALLS =
  'mkdir -p node_modules/.pnpm && cp pnpm-lock.yaml node_modules/.pnpm/lock.yaml'

/** Stand-in for turbo, with the task as its second argument. */
export const TURBO = 'node_modules/turbo/bin/turbo'

/** Makes a folder with little more than the launcher and a test script in place of `npx`: no network, nothing installed. */
export function makeSmallClone() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-launch-')))
  for (const path of [
    'package.json',
    'tsconfig.base.json',
    'tooling/launch',
    'tooling/require-node.cjs',
  ])
    cpSync(join(top, path), join(folder, path), { recursive: true })
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  write('pnpm-lock.yaml', 'lockfileVersion: 1\n')
  write(
    'apps/cli/dist/main.js',
    'console.log(process.argv.slice(2).join(" ")); process.exitCode = 3',
  )
  write('tooling/dist/live.js', 'console.log("live")')
  write(TURBO, '')
  return {
    folder,
    /** Writes a file of the clone. */
    write,
    read: (path: string) => readFileSync(join(folder, path), 'utf8'),
    /** The shell script that takes the place of `npx`; `$*` are its arguments. */
    useNpx(script: string) {
      write('bin/npx', `#!/bin/sh\n${script}\n`)
      chmodSync(join(folder, 'bin/npx'), 0o755)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export type SmallClone = ReturnType<typeof makeSmallClone>

export interface LaunchOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly uid?: number
}

/** Starts the launcher of the clone with only its `npx` and the usual programs on the path. */
export function startLauncher(
  { folder }: SmallClone,
  command: string,
  { args = [], env = {}, uid }: LaunchOptions = {},
) {
  const child = spawn(
    process.execPath,
    ['-r', './tooling/require-node.cjs', 'tooling/launch/launch.mjs', command, ...args],
    {
      cwd: folder,
      env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, ...env },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = new Promise<{ readonly code: number | null; readonly output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output: output.replace(/\d+ s$/gm, 'N s') })),
  )
  return { child, ended, output: () => output }
}
