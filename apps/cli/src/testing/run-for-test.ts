import { Readable } from 'node:stream'
import { fixedClock } from '@svc/core/testing'
import type { CliContext } from '../program/cli-context.ts'
import { runCli } from '../run-cli.ts'
import { filling } from './answering.ts'

/** Output and exit code of a command. */
export interface CliOutcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A context without files, variables and terminal; it drops all output. */
export function aCliContext(changes: Partial<CliContext> = {}): CliContext {
  return {
    argv: [],
    env: {},
    version: '1.2.3',
    nodeVersion: '20.19.0',
    nodePath: '/usr/bin/node',
    programPath: '/opt/svc-quota-monitor/main.js',
    cwd: '/srv',
    homeDir: '/home/someone',
    hostTimeZone: 'UTC',
    clock: fixedClock(),
    startInstant: null,
    random: () => 0.5,
    fetch: globalThis.fetch,
    serviceFetch: filling(changes.fetch ?? globalThis.fetch),
    readTextFile() {
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    },
    stdout() {},
    stdin: () => Readable.from([]),
    stderr() {},
    stdoutFailure: () => Promise.resolve(null),
    terminal: null,
    stdoutIsTerminal: false,
    stdoutColumns: null,
    onReaderGone() {},
    stderrIsTerminal: false,
    forgetEnv() {},
    onSignal() {},
    exitNow() {},
    dieBy() {},
    ...changes,
  }
}

/** Runs a command in this process, in such a context with these changes. */
export async function cli(
  argv: readonly string[],
  changes: Partial<CliContext> = {},
): Promise<CliOutcome> {
  let stdout = ''
  let stderr = ''
  const context = aCliContext({
    argv,
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
    ...changes,
  })
  return { code: await runCli(context), stdout, stderr }
}
