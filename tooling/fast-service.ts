import dns from 'node:dns'
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import workerThreads from 'node:worker_threads'
import { resolveConfig } from '@svc/config'
import { createLog, startServer } from '@svc/server'
import { clockOf, paceOptions } from './accelerated-clock.ts'
import { builtDashboard, builtWorkers } from './built-workers.ts'

/**
 * The service as a program of its own whose time runs faster, for fault tests. `--factor` and others set the clock; what follows `--` are
 * settings as the real program takes them, each with a value. SIGUSR2 blocks the event loop for 3 s, SIGWINCH ends
 * every worker thread. While the file named by `FAKE_DNS_DOWN` exists,
 * no host name can be resolved; otherwise `upstream.invalid` is this machine.
 */
// As the real program does.
setFlagsFromString('--semi-space-growth-factor=1')

const { values, positionals } = parseArgs({
  options: paceOptions,
  allowPositionals: true,
})
const flags = Object.fromEntries(
  positionals.flatMap((name, index) => (index % 2 === 0 ? [[name.replace(/^--/, ''), positionals[index + 1] ?? '']] : [])),
)
const clock = clockOf(values)

const { config } = resolveConfig({
  flags,
  configFlag: 'off',
  env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: process.env.SVC_QUOTA_MONITOR_MANAGEMENT_KEY },
  cwd: process.cwd(),
  homeDir: process.cwd(),
  hostTimeZone: 'UTC',
  demo: false,
  readTextFile: () => '',
})
const log = createLog({ level: config.logLevel, format: config.logFormat, write: (line) => void process.stderr.write(line), clock })
pretendDns(process.env.FAKE_DNS_DOWN)
process.on('SIGUSR2', () => blockFor(3_000))
endWorkersOn('SIGWINCH')

const server = await startServer({
  config,
  demo: false,
  version: '0.0.0-fast',
  workers: builtWorkers,
  dashboard: builtDashboard,
  deps: { clock, isMachineClock: false, random: Math.random, fetch: globalThis.fetch, log },
})
console.log(`listens: ${server.url}/`)
process.on('SIGHUP', () => server.reload())
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void server.stop(signal).then(() => process.exit(0))
  })
}

/** Node's sockets look names up through this function; a test cannot own a real name server. */
function pretendDns(downFile: string | undefined): void {
  if (downFile === undefined) return
  const lookup = dns.lookup as (...args: unknown[]) => void
  const pretended = (host: string, options: { readonly all?: boolean }, done: (...answer: unknown[]) => void) => {
    if (existsSync(downFile)) {
      process.nextTick(done, Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }))
    } else if (host !== 'upstream.invalid') lookup(host, options, done)
    else if (options.all === true) process.nextTick(done, null, [{ address: '127.0.0.1', family: 4 }])
    else process.nextTick(done, null, '127.0.0.1', 4)
  }
  dns.lookup = pretended as unknown as typeof dns.lookup
}

/** Keeps count of worker threads, so that a signal can end them as a crash would. */
function endWorkersOn(signal: NodeJS.Signals): void {
  const running = new Set<workerThreads.Worker>()
  const { Worker } = workerThreads
  workerThreads.Worker = class extends Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args)
      running.add(this)
      this.once('exit', () => running.delete(this))
    }
  }
  syncBuiltinESMExports()
  process.on(signal, () => {
    for (const worker of running) void worker.terminate()
  })
}

function blockFor(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}
