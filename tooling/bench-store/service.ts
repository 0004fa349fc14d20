import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { startsOf } from '../bench/footprint.ts'
import { type Finding, findingsOf, percentile } from '../bench/goals.ts'
import { costOf, loopDelayOf, loopWatch } from '../bench/process-cost.ts'
import { startBareServer } from '../bench/recorded-answers.ts'
import { pause } from '../eventually.ts'
import { freePort, program } from '../service/built-program.ts'
import type { NodeProcess } from '../service/node-process.ts'
import { type ServiceProcess, startService } from '../service/start-service.ts'
import { withStore } from './engine.ts'
import { copyOfWorld } from './sqlite-store.ts'

export const KEY = 'bench-store-management-key'
const allProcessors = `0-${cpus().length - 1}`
/** Address at which nothing answers. */
export const NO_PROXY = 'http://127.0.0.1:9'

/** Starts the built program on a store, with its event loop watched, on all processors, because its threads are measured. */
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

/** Starts a watched idle server on the same processors; the delay of its event loop is due to the machine. */
function startIdleServer(): Promise<NodeProcess> {
  return startBareServer([], allProcessors, { nodeArgs: loopWatch })
}

/** Value of one of the service's own metrics; NaN if it has none. */
export async function metricOf(service: ServiceProcess, name: string): Promise<number> {
  return (await service.metric(`svc_quota_monitor_${name}`)) ?? Number.NaN
}

const STARTS = 10
const CHARTS = [
  'range=all&group=account',
  'range=all&group=model',
  'range=all&group=client',
  'range=all&group=total',
] as const

/** P12: the start of the service on a large store. */
export const measureStoreStart = (rows: number): Promise<readonly Finding[]> =>
  withStore(copyOfWorld(rows), ({ location }) =>
    startsOf(
      `a store of ${rows / 1e6} M rows`,
      ['--config', 'off', '--upstream-url', NO_PROXY, '--state-db', location],
      STARTS,
    ),
  )

/** P14 and P16: backups of a large store, and the service during them. */
export const measureService = (rows: number): Promise<readonly Finding[]> =>
  withStore(copyOfWorld(rows), async ({ location, folder }) => [
    ...(await backupFindings(location, folder, rows)),
    ...(await loopFindings(location, folder, rows)),
  ])

async function runMeasured(args: readonly string[], output?: string) {
  const cost = await costOf(args, output)
  if (cost.code !== 0) throw new Error(`${args.slice(0, 3).join(' ')} ended with ${cost.code}`)
  return cost
}

async function backupFindings(
  path: string,
  folder: string,
  rows: number,
): Promise<readonly Finding[]> {
  const millions = `${rows / 1e6} M rows`
  const idle = await runMeasured([process.execPath, program, '--version'])
  const backup = join(folder, 'backup.json')
  const plain = await runMeasured(
    [
      'sqlite3',
      '-readonly',
      '-json',
      path,
      'SELECT at_ms, u.key, a.key AS account, n.name AS api, m.name AS model, tokens, failed FROM usage u JOIN accounts a ON a.id = account_id JOIN api_names n ON n.id = api_name_id JOIN models m ON m.id = model_id ORDER BY at_ms, u.key',
    ],
    join(folder, 'plain.json'),
  )
  rmSync(join(folder, 'plain.json'))
  const command = (name: string, ...args: string[]) =>
    runMeasured([process.execPath, program, name, '--state-db', ...args])
  const copy = join(folder, 'imported.db')
  const again = join(folder, 'again.json')
  const exported = await command('export-history', path, '--output', backup)
  const imported = await command('import-history', copy, backup)
  await command('export-history', copy, '--output', again)
  const same = digestOf(backup) === digestOf(again) ? 1 : 0
  for (const file of [again, copy]) rmSync(file)
  const [more, thousands] = [(mb: number) => mb - idle.mb, rows / imported.seconds / 1000]
  const seconds = rows <= 3_200_000 ? { atMost: 120 } : null
  const memory = { atMost: 50 }
  return findingsOf([
    [
      'P16',
      `export ÷ sqlite3 -json, ${millions}`,
      plain.seconds / exported.seconds,
      '×',
      { atLeast: 0.5 },
    ],
    ['P16', `export, ${millions}`, exported.seconds, 's', seconds],
    ['P16', `import, ${millions}`, imported.seconds, 's', seconds],
    ['P16', `import, ${millions}`, thousands, 'k rows/s'],
    ['P16', `memory of export beyond an idle start, ${millions}`, more(exported.mb), 'MB', memory],
    ['P16', `memory of import beyond an idle start, ${millions}`, more(imported.mb), 'MB', memory],
    ['P16', `backup, ${millions}`, statSync(backup).size / 1e6, 'MB'],
    ['P16', `export, import, export: equal (1) or not (0), ${millions}`, same, '', { atLeast: 1 }],
  ])
}

/** Digest of an export without its head, which holds the time of the export. */
function digestOf(file: string): string {
  return (
    /"sha256":"([0-9a-f]{64})"\}\s*$/.exec(readFileSync(file).subarray(-200).toString())?.[1] ??
    createHash('sha256').update(file).digest('hex')
  )
}

/** Delay of the event loop while charts of everything, an export and an import run. */
async function loopFindings(
  path: string,
  folder: string,
  rows: number,
): Promise<readonly Finding[]> {
  const service = await startStoreService(path, NO_PROXY)
  const bare = await startIdleServer()
  await pause(1_000)
  const output = join(folder, 'during.json')
  let running = true
  const exporting = spawn(
    process.execPath,
    [program, 'export-history', '--state-db', path, '--output', output],
    { stdio: 'ignore' },
  )
  const importing = once(exporting, 'exit').then(() => {
    const child = spawn(
      process.execPath,
      [program, 'import-history', '--state-db', join(folder, 'during.db'), output],
      { stdio: 'ignore' },
    )
    return once(child, 'exit')
  })
  void importing.then(() => {
    running = false
  })
  const chartMs: number[] = []
  let number = 0
  const ask = async (): Promise<void> => {
    while (running) {
      number += 1
      const startedMs = performance.now()
      // Another number of lines each time, so that no answer is one that was kept.
      const answer = await fetch(
        `${service.url}/api/v1/stats/series?${CHARTS[number % CHARTS.length]}&top=${1 + (number % 20)}`,
      )
      await answer.arrayBuffer()
      if (answer.status === 200) chartMs.push(performance.now() - startedMs)
      await pause(100)
    }
  }
  await Promise.all([loopDelayOf(service), loopDelayOf(bare)])
  await Promise.all(Array.from({ length: 8 }, ask))
  const { p99Ms, maxMs } = await loopDelayOf(service)
  const { maxMs: bareMaxMs } = await loopDelayOf(bare)
  await Promise.all([service.stop(), bare.stop()])
  rmSync(output, { force: true })
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(join(folder, `during.db${suffix}`), { force: true })
  const millions = `${rows / 1e6} M rows`
  const busy = 'under 8 charts of everything, export and import'
  return findingsOf([
    ['P14', `event-loop delay p99 ${busy}, ${millions}`, p99Ms, 'ms', { atMost: 20 }],
    ['P14', `event-loop delay, longest, ${millions}`, maxMs, 'ms', { atMost: 50 }],
    ['P14', `the same of an idle bare server beside it, ${millions}`, bareMaxMs, 'ms'],
    ['P14', `chart meanwhile, p95, ${millions}`, percentile(chartMs, 0.95), 'ms'],
  ])
}
