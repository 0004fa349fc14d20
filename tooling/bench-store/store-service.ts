import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { type Child, startChild } from '../bench/child.ts'
import { loopWatch } from '../bench/loop-watch.ts'
import { freePort, program } from '../started-program.ts'
import { top } from '../top.ts'

export const KEY = 'bench-store-management-key'
const allProcessors = `0-${cpus().length - 1}`
/** Nobody answers there. */
export const NO_PROXY = 'http://127.0.0.1:9'

/** The built program on a store, its event loop watched, on every processor there is: its threads are what is measured. */
export async function startStoreService(
  statePath: string,
  upstreamUrl: string,
  settings: readonly string[] = [],
): Promise<Child> {
  const flags = [
    '--config',
    'off',
    '--port',
    String(await freePort()),
    '--state-db',
    statePath,
    '--upstream-url',
    upstreamUrl,
  ]
  return await startChild(
    [
      ...loopWatch,
      program,
      ...flags,
      '--quota-transport',
      'off',
      '--log-level',
      'error',
      ...settings,
    ],
    {
      env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: KEY },
      processors: allProcessors,
    },
  )
}

/** A watched server with nothing to do, on the same processors: what its event loop waits is the machine's doing. */
export async function startIdleServer(folder: string): Promise<Child> {
  const answers = join(folder, 'no-answers.json')
  writeFileSync(answers, '[]')
  return await startChild(
    [...loopWatch, join(top, 'tooling/dist/bench/bare-server.js'), 'node', answers],
    { processors: allProcessors },
  )
}

/** The value of one of its own metrics; NaN when it has none. */
export async function metricOf({ url }: Child, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^svc_quota_monitor_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
}
