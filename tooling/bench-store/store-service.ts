import { cpus } from 'node:os'
import { loopWatch } from '../bench/loop-watch.ts'
import { startBareServer } from '../bench/recorded-answers.ts'
import { freePort } from '../service/built-program.ts'
import type { NodeProcess } from '../service/node-process.ts'
import { type ServiceProcess, startService } from '../service/start-service.ts'

export const KEY = 'bench-store-management-key'
const allProcessors = `0-${cpus().length - 1}`
/** Nobody answers there. */
export const NO_PROXY = 'http://127.0.0.1:9'

/** The built program on a store, its event loop watched, on every processor there is: its threads are what is measured. */
export async function startStoreService(
  statePath: string,
  upstreamUrl: string,
  flags: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  return await startService({
    where: 'program',
    time: 'real',
    args: ['--config', 'off'],
    flags: {
      port: String(await freePort()),
      'state-db': statePath,
      'upstream-url': upstreamUrl,
      'quota-transport': 'off',
      'log-level': 'error',
      ...flags,
    },
    key: KEY,
    nodeArgs: loopWatch,
    processors: allProcessors,
  })
}

/** A watched server with nothing to do, on the same processors: what its event loop waits is the machine's doing. */
export function startIdleServer(): Promise<NodeProcess> {
  return startBareServer([], allProcessors, { nodeArgs: loopWatch })
}

/** The value of one of its own metrics; NaN when it has none. */
export async function metricOf(service: ServiceProcess, name: string): Promise<number> {
  return (await service.metric(`svc_quota_monitor_${name}`)) ?? Number.NaN
}
