import { parseArgs } from 'node:util'
import { BroadcastChannel } from 'node:worker_threads'
import { resolveConfig } from '@svc/config'
import { createLog, pipelineInThread } from '@svc/monitor'
import { startServer } from '@svc/server'
import { acceleratedClock, paceFrom, paceOption } from '../test-instant.ts'
import { blockFor, builtDashboard, builtWorkers, FAULTS, SIGNAL_OF_FAULT } from './built-program.ts'

/**
 * The service as a separate program on a faster clock, for fault tests. `--pace` sets the clock; settings of the real program follow `--`, each with
 * a value. Signals trigger the faults of `built-program.ts`.
 */
const { values, positionals } = parseArgs({
  options: paceOption,
  allowPositionals: true,
})
const flags = Object.fromEntries(
  positionals.flatMap((name, index) =>
    index % 2 === 0 ? [[name.replace(/^--/, ''), positionals[index + 1] ?? '']] : [],
  ),
)
const pace = paceFrom(values.pace)
const clock = acceleratedClock(pace)

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
const log = createLog({
  level: config.log.logLevel,
  format: config.log.logFormat,
  write: (line) => void process.stderr.write(line),
  clock,
})
const faults = new BroadcastChannel(FAULTS)
for (const [fault, signal] of Object.entries(SIGNAL_OF_FAULT))
  process.on(signal, () => faults.postMessage(fault))
process.on(SIGNAL_OF_FAULT.block, () => blockFor(3_000))

const server = await startServer({
  config,
  demo: false,
  version: '0.0.0-paced',
  startPipeline: pipelineInThread(new URL('./paced-pipeline.entry.js', import.meta.url), pace),
  workers: builtWorkers,
  dashboard: builtDashboard,
  // A clock that goes on at the real pace is a bench's, in which Node dates the answers as it does those of the real program.
  deps: { clock, isMachineClock: pace.fastMs !== undefined, log },
})
console.log(`listening on ${server.url}/`)
process.on('SIGHUP', () => server.reload(config.fleet.upstreams))
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void server.stop(signal).then(() => process.exit(0))
  })
}
