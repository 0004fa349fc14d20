import { createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type EpochMs, instantToIso } from '@svc/core'
import { testInstant } from '../test-instant.ts'
import { top } from '../top.ts'
import { type NodeProcessOptions, runNode } from './node-process.ts'

/** The program as a user starts it, after a build. */
export const program = join(top, 'apps/cli/dist/main.js')

/** Time of the built program's clock at its start; the clock then runs at real pace. `real` is the machine's time. */
export type ProgramTime = 'real' | { readonly startsAt: EpochMs }

/** The instant at which every test of the built program begins. */
export const testTime: ProgramTime = { startsAt: testInstant }

export function startInstantFlags(time: ProgramTime): readonly string[] {
  return time === 'real' ? [] : [`--start-instant=${instantToIso(time.startsAt)}`]
}

/** Runs the built program to its end, at the instant of all tests. */
export async function runProgram(args: readonly string[], options: NodeProcessOptions = {}) {
  return await runNode([program, ...args, ...startInstantFlags(testTime)], options)
}

/** A loopback port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}

/**
 * Options for requests of a test that may block its thread for seconds: the service closes a kept connection meanwhile, which a client notices only
 * on its next use.
 */
export const ownConnection = { headers: { connection: 'close' } } as const

const built = (file: string) => pathToFileURL(join(top, 'apps/cli/dist', file))

/** Flags of a program with a port of its own, at which no configuration and no proxy is; the later one of two counts. */
export async function ownFlags(...more: readonly string[]): Promise<readonly string[]> {
  const own = { config: 'off', port: await freePort(), 'upstream-url': 'http://127.0.0.1:9' }
  return [...Object.entries(own).map(([name, value]) => `--${name}=${value}`), ...more]
}

/** Files of the built program; Node loads no TypeScript in its worker threads. */
export const builtDashboard = built('dashboard/')
export const builtWorkers = {
  storeWriter: built('store-writer.js'),
  storeReader: built('store-reader.js'),
  storeLeases: built('store-leases.js'),
}

/** The channel on which `paced-service.entry.ts` sends faults to its pipeline. */
export const FAULTS = 'faults'

/**
 * The signal that brings each fault to a paced service: its pipeline's thread ends its own worker threads, or itself as a crash would,
 * hangs for good, or closes its port; `block` holds up every thread for 3 s.
 */
export const SIGNAL_OF_FAULT = {
  end_workers: 'SIGWINCH',
  end: 'SIGPWR',
  hang: 'SIGURG',
  block: 'SIGUSR2',
  close_port: 'SIGIO',
} as const

export type ServiceFault = keyof typeof SIGNAL_OF_FAULT

export function blockFor(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}
