import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { startsOf } from '../bench/footprint.ts'
import { type Finding, findingsOf, percentile } from '../bench/goals.ts'
import { NO_PROXY, startProgram } from '../bench/measured-service.ts'
import { costOf, loopDelayOf, loopWatch } from '../bench/process-cost.ts'
import { startBareServer } from '../bench/recorded-answers.ts'
import { pause } from '../eventually.ts'
import { program } from '../service/built-program.ts'
import type { ServiceProcess } from '../service/start-service.ts'
import { withStore } from './engine.ts'
import { sqliteEngine } from './sqlite.ts'

const allProcessors = `0-${cpus().length - 1}`

/** Starts the built program on a store, with its event loop watched, on all processors, because its threads are measured. */
export const startStoreService = (
  statePath: string,
  upstreamUrl: string,
  flags: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> =>
  startProgram(upstreamUrl, {
    flags: { 'state-db': statePath, 'quota-transport': 'off', ...flags },
    nodeArgs: loopWatch,
    processors: allProcessors,
  })

const STARTS = 10

/** P12: the start of the service on a large store. */
export const measureStoreStart = (rows: number): Promise<readonly Finding[]> =>
  withStore(sqliteEngine.copyOfWorld(rows), ({ location }) =>
    startsOf(`a store of ${rows / 1e6} M rows`, STARTS, NO_PROXY, { 'state-db': location }),
  )

/** P14 and P16: backups of a large store, and the service during them. */
export const measureService = (rows: number): Promise<readonly Finding[]> =>
  withStore(sqliteEngine.copyOfWorld(rows), async ({ location }) => [
    ...(await backupFindings(location, rows)),
    ...(await loopFindings(location, rows)),
  ])

async function runMeasured(args: readonly string[], output?: string) {
  const cost = await costOf(args, output)
  if (cost.code !== 0) throw new Error(`${args.slice(0, 3).join(' ')} ended with ${cost.code}`)
  return cost
}

const EVERY_ROW =
  'SELECT at_ms, u.key, a.key AS account, n.name AS api, m.name AS model, tokens, failed FROM usage u JOIN accounts a ON a.id = account_id JOIN api_names n ON n.id = api_name_id JOIN models m ON m.id = model_id ORDER BY at_ms, u.key'

async function backupFindings(path: string, rows: number): Promise<readonly Finding[]> {
  const [plainFile, backup, copy] = [`${path}.plain`, `${path}.backup`, `${path}.copy`]
  const idle = await runMeasured([process.execPath, program, '--version'])
  const plain = await runMeasured(['sqlite3', '-readonly', '-json', path, EVERY_ROW], plainFile)
  const command = (name: string, ...args: string[]) =>
    runMeasured([process.execPath, program, name, '--state-db', ...args])
  const exported = await command('export-history', path, '--output', backup)
  const imported = await command('import-history', copy, backup)
  for (const file of [plainFile, backup, copy]) rmSync(file)
  const millions = `${rows / 1e6} M rows`
  const ratio = plain.seconds / exported.seconds
  const thousands = rows / imported.seconds / 1000
  const [exportMb, importMb] = [exported.mb - idle.mb, imported.mb - idle.mb]
  const seconds = rows <= 3_200_000 ? { atMost: 120 } : null
  const memory = { atMost: 50 }
  return findingsOf([
    ['P16', `export ÷ sqlite3 -json, ${millions}`, ratio, '×', { atLeast: 0.5 }],
    ['P16', `export, ${millions}`, exported.seconds, 's', seconds],
    ['P16', `import, ${millions}`, imported.seconds, 's', seconds],
    ['P16', `import, ${millions}`, thousands, 'k rows/s'],
    ['P16', `memory of export beyond an idle start, ${millions}`, exportMb, 'MB', memory],
    ['P16', `memory of import beyond an idle start, ${millions}`, importMb, 'MB', memory],
  ])
}

const GROUPS = ['account', 'model', 'client', 'total']

/** Delay of the event loop while charts of everything, an export and an import run. */
async function loopFindings(path: string, rows: number): Promise<readonly Finding[]> {
  const service = await startStoreService(path, NO_PROXY)
  // Watched on the same processors: what delays its event loop is the machine.
  const bare = await startBareServer([], allProcessors, { nodeArgs: loopWatch })
  await pause(1_000)
  const [backup, copy] = [`${path}.during`, `${path}.during-copy`]
  const ended = (name: string, ...args: string[]) =>
    once(
      spawn(process.execPath, [program, name, '--state-db', ...args], { stdio: 'ignore' }),
      'exit',
    )
  let running = true
  const backups = ended('export-history', path, '--output', backup)
    .then(() => ended('import-history', copy, backup))
    .finally(() => {
      running = false
    })
  const chartMs: number[] = []
  let number = 0
  const ask = async (): Promise<void> => {
    while (running) {
      number += 1
      // Another number of lines each time, so that no answer is one that was kept.
      const query = `range=all&group=${GROUPS[number % GROUPS.length]}&top=${1 + (number % 20)}`
      const startedMs = performance.now()
      const answer = await fetch(`${service.url}/api/v1/stats/series?${query}`)
      await answer.arrayBuffer()
      if (answer.status === 200) chartMs.push(performance.now() - startedMs)
      await pause(100)
    }
  }
  await Promise.all([loopDelayOf(service), loopDelayOf(bare)])
  await Promise.all([backups, ...Array.from({ length: 8 }, ask)])
  const { p99Ms, maxMs } = await loopDelayOf(service)
  const { maxMs: bareMaxMs } = await loopDelayOf(bare)
  await Promise.all([service.stop(), bare.stop()])
  const millions = `${rows / 1e6} M rows`
  const busy = 'under 8 charts of everything, export and import'
  return findingsOf([
    ['P14', `event-loop delay p99 ${busy}, ${millions}`, p99Ms, 'ms', { atMost: 20 }],
    ['P14', `event-loop delay, longest, ${millions}`, maxMs, 'ms', { atMost: 50 }],
    ['P14', `the same of an idle bare server beside it, ${millions}`, bareMaxMs, 'ms'],
    ['P14', `chart meanwhile, p95, ${millions}`, percentile(chartMs, 0.95), 'ms'],
  ])
}
