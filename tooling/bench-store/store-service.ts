import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { loopWatch } from '../bench/loop-watch.ts'
import { freePort } from '../service/built-program.ts'
import { type NodeProcess, startNode } from '../service/node-process.ts'
import { type ServiceProcess, startService } from '../service/start-service.ts'
import { top } from '../top.ts'

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
export async function startIdleServer(folder: string): Promise<NodeProcess> {
  const answers = join(folder, 'no-answers.json')
  writeFileSync(answers, '[]')
  return await startNode(
    [...loopWatch, join(top, 'tooling/dist/bench/bare-server.js'), 'node', answers],
    { processors: allProcessors },
  )
}

/** The value of one of its own metrics; NaN when it has none. */
export async function metricOf(service: ServiceProcess, name: string): Promise<number> {
  return (await service.metric(`svc_quota_monitor_${name}`)) ?? Number.NaN
}
