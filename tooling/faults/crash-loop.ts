import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { exportBackup, importBackup, inspectStore } from '@svc/history'
import { openSqlite } from '@svc/sqlite'
import { seededRandom } from '../bench/statistics.ts'
import { eventually, pause } from '../eventually.ts'
import { program } from '../service/built-program.ts'
import { top } from '../top.ts'
import { damageOf, verdictOn } from './crash-verdict.ts'
import {
  clock,
  lastAnswerOf,
  recordSome,
  startInstant,
  type World,
  worldOf,
} from './crash-world.ts'
import { runDatabaseCrashLoop } from './database-crash-loop.ts'
import { startMonitor } from './monitor-process.ts'

/** How a process ended, or was made to. */
const endings = [
  'kill',
  'kill',
  'kill',
  'kill',
  'start',
  'freeze',
  'stop',
  'import',
  'migration',
] as const

export interface CrashReport {
  readonly rounds: number
  readonly byEnding: Readonly<Record<string, number>>
  readonly handedOut: number
  readonly acknowledged: number
  readonly stored: number
  /** Records that were handed out and are nowhere: of batches on their way when the process was killed. */
  readonly lost: number
  /** What must not be; empty when all is well. */
  readonly violations: readonly string[]
}

const BACKLOG = 2_500
const LEGACY_EVERY = 4
/** How long a service runs from when it is up; one that is killed while it starts gets the same share of the time that the last start took. */
const RUN_MS_MIN = 50
const RUN_MS_MAX = 1_500

/** Starts and kills the service at random moments, again and again, and checks after each what the store holds. */
export async function runCrashLoop({
  rounds,
  seed,
}: {
  readonly rounds: number
  readonly seed: number
}): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-crash-'))
  const random = seededRandom(seed)
  const violations: string[] = []
  const byEnding: Record<string, number> = {}
  const worlds = { queue: await worldOf('queue', folder), legacy: await worldOf('legacy', folder) }
  try {
    for (let round = 0; round < rounds; round += 1) {
      const world = round % LEGACY_EVERY === LEGACY_EVERY - 1 ? worlds.legacy : worlds.queue
      const ending = endings[Math.floor(random() * endings.length)] ?? 'kill'
      byEnding[ending] = (byEnding[ending] ?? 0) + 1
      const runMs = RUN_MS_MIN + random() * (RUN_MS_MAX - RUN_MS_MIN)
      if (ending === 'import') await crashImport(world, folder, runMs / 3, violations)
      else if (ending === 'migration') await crashMigration(world, folder, runMs / 5, violations)
      else await crashService(world, ending, runMs)
      violations.push(
        ...damageOf(world.statePath).map((damage) => `round ${round} (${ending}): ${damage}`),
      )
      if (violations.length > 0) break
    }
    // One quiet run, so that what a next poll repairs is repaired.
    for (const world of Object.values(worlds)) await crashService(world, 'settle', 0)
    return { rounds, byEnding, ...(await verdictOn(worlds, folder, violations)), violations }
  } finally {
    for (const { served } of Object.values(worlds)) await served.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function crashService(world: World, ending: string, runMs: number): Promise<void> {
  recordSome(world, world.kind === 'queue' ? BACKLOG : 200)
  const answersBefore = lastAnswerOf(world)
  const ledgerBefore = world.fake.usage.ledger.length
  const monitor = await startMonitor({ upstreamUrl: world.served.url, stateDb: world.statePath })
  if (ending === 'start') await pause((runMs / RUN_MS_MAX) * world.startMs)
  else {
    const startedMs = performance.now()
    await eventually('the service is up', monitor.isUp)
    world.startMs = performance.now() - startedMs
    if (ending === 'settle') await eventually('a poll is stored', () => monitor.toldCount() > 0)
    else await pause(runMs)
  }
  if (ending === 'freeze') {
    monitor.freeze()
    await pause(20)
  }
  await monitor.end(ending === 'stop' || ending === 'settle' ? 'SIGTERM' : 'SIGKILL')

  const acknowledgedCount = monitor.toldCount()
  if (world.kind === 'queue') {
    // The service takes one answer after the other, so the first ones are those it has acknowledged.
    const { ledger } = world.fake.usage
    for (const record of ledger) {
      const answer = record.handedOutWith
      if (answer !== null && answer > answersBefore && answer <= answersBefore + acknowledgedCount)
        world.acknowledged.add(record.json)
    }
    const last = lastAnswerOf(world)
    if (last > answersBefore + acknowledgedCount) world.unfinishedAnswers.add(last)
  } else if (acknowledgedCount > 0) {
    for (const record of world.fake.usage.ledger.slice(0, ledgerBefore))
      world.acknowledged.add(record.json)
  }
}

/** Exports the store, imports it into a new one, killed on the way, and again until it is through; the same must come out. */
async function crashImport(
  world: World,
  folder: string,
  runMs: number,
  violations: string[],
): Promise<void> {
  // Of a service that was killed at once there is no history yet, or one without an identity, which an import gives it.
  if (!hasIdentity(world.statePath)) return
  const [backup, target, again] = ['backup.json', 'imported.db', 'again.json'].map((name) =>
    join(folder, `import-${name}`),
  ) as [string, string, string]
  clear(folder, 'import-')
  await exportBackup({
    statePath: world.statePath,
    output: backup,
    exportedAt: 'then',
    appVersion: '0',
  })
  const child = spawn(
    process.execPath,
    [program, 'import-history', '--state-db', target, backup, startInstant()],
    { stdio: 'ignore' },
  )
  await killedAfter(child, runMs)
  if (existsSync(target))
    violations.push(...damageOf(target).map((damage) => `after a killed import: ${damage}`))
  await importBackup({ statePath: target, file: backup, now: clock.now() })
  await exportBackup({ statePath: target, output: again, exportedAt: 'then', appVersion: '0' })
  if (!readFileSync(again).equals(readFileSync(backup)))
    violations.push('an import that was killed and run again differs from the backup')
}

/** Kills a copy of the store on its way to a newer schema; then it must get there, with every row. */
async function crashMigration(
  world: World,
  folder: string,
  runMs: number,
  violations: string[],
): Promise<void> {
  if (!existsSync(world.statePath)) return
  clear(folder, 'migrated')
  const copy = join(folder, 'migrated.db')
  // The last round may have left the newest rows in the WAL file.
  for (const suffix of ['', '-wal'])
    if (existsSync(world.statePath + suffix)) copyFileSync(world.statePath + suffix, copy + suffix)
  const rows = countOf(copy)
  const migrate = join(top, 'tooling/dist/faults/migrating-store.js')
  const child = spawn(process.execPath, [migrate, copy], { stdio: 'ignore' })
  await killedAfter(child, 60 + runMs)
  violations.push(...damageOf(copy).map((damage) => `after a killed migration: ${damage}`))
  const { stdout, stderr } = spawnSync(process.execPath, [migrate, copy], { encoding: 'utf8' })
  if (!stdout.includes('migrated'))
    violations.push(`a killed migration is not completed: ${stderr.slice(0, 200)}`)
  if (countOf(copy) !== rows) violations.push('a killed migration has lost rows')
}

/** Kills a process unless it has ended by then, and waits until the system has let go of its files. */
async function killedAfter(child: ChildProcess, runMs: number): Promise<void> {
  const ended = once(child, 'exit')
  await Promise.race([ended, pause(runMs)])
  child.kill('SIGKILL')
  await ended
}

function hasIdentity(path: string): boolean {
  if (!existsSync(path) || inspectStore(path).file !== 'store') return false
  const db = openSqlite(path, { readonly: true })
  try {
    return db.prepare("SELECT 1 FROM meta WHERE name = 'fingerprint_key'").get() !== undefined
  } finally {
    db.close()
  }
}

function clear(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith(prefix)) rmSync(join(folder, name))
}

function countOf(path: string): number {
  const db = openSqlite(path)
  try {
    return Number(db.prepare('SELECT count(*) FROM usage').pluck().get())
  } finally {
    db.close()
  }
}

if (process.argv[1]?.endsWith('crash-loop.js') === true) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      engine: { type: 'string', default: 'sqlite' },
      monitors: { type: 'string', default: '1' },
    },
  })
  const startedMs = performance.now()
  const plan = { rounds: Number(values.rounds), seed: Number(values.seed) }
  const report =
    values.engine === 'postgres'
      ? await runDatabaseCrashLoop({ ...plan, monitorCount: Number(values.monitors) })
      : await runCrashLoop(plan)
  console.log(
    JSON.stringify(
      { ...report, seconds: Math.round((performance.now() - startedMs) / 1000) },
      null,
      2,
    ),
  )
  process.exitCode = report.violations.length === 0 ? 0 : 1
}
