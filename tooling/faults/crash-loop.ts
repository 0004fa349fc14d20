import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { FakeUpstream } from '@svc/fake-proxy'
import { exportBackup, importBackup, inspectStore } from '@svc/history'
import { type Database, openSqlite } from '@svc/sqlite'
import { seededRandom } from '../bench/goals.ts'
import { eventually, pause } from '../eventually.ts'
import { spawnService } from '../service/start-service.ts'
import { inFolder, top } from '../top.ts'
import { type StoreTables, verdictOn } from './crash-verdict.ts'
import { runDatabaseCrashLoop } from './database-crash-loop.ts'
import {
  clock,
  ledgeredProxy,
  type RecordKind,
  recordSome,
  type WitnessedMonitor,
  witnessedMonitor,
} from './witnessed-monitor.ts'

/** Ways in which a round ends; the more common ones are repeated. */
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
  /** Records that were handed out but not stored: batches in transit when the process was killed. */
  readonly lost: number
  /** Violations found; empty if all is well. */
  readonly violations: readonly string[]
}

const BACKLOG = 2_500
const LEGACY_EVERY = 4
/** Milliseconds for which a service runs once it is up. One that is killed during its start runs for the same share of the last start's duration. */
const RUN_MS_MIN = 50
const RUN_MS_MAX = 1_500

/** A proxy with its ledger, and the service in front of it. */
interface World {
  readonly kind: RecordKind
  readonly fake: FakeUpstream
  readonly monitor: WitnessedMonitor
  readonly statePath: string
  /** Milliseconds that the last service took to start. */
  startMs: number
}

async function worldOf(kind: RecordKind, folder: string): Promise<World> {
  const fake = ledgeredProxy(kind)
  const statePath = join(folder, `${kind}.db`)
  return { kind, fake, monitor: await witnessedMonitor(fake, statePath), statePath, startMs: 0 }
}

/** Starts and kills the service repeatedly at random moments and checks the store after each round. */
export const runCrashLoop = ({
  rounds,
  seed,
}: {
  readonly rounds: number
  readonly seed: number
}): Promise<CrashReport> =>
  inFolder(async (folder) => {
    const random = seededRandom(seed)
    const violations: string[] = []
    const byEnding: Record<string, number> = {}
    const worlds = [await worldOf('queue', folder), await worldOf('legacy', folder)] as const
    try {
      for (let round = 0; round < rounds && violations.length === 0; round += 1) {
        const world = worlds[round % LEGACY_EVERY === LEGACY_EVERY - 1 ? 1 : 0]
        const ending = endings[Math.floor(random() * endings.length)] ?? 'kill'
        byEnding[ending] = (byEnding[ending] ?? 0) + 1
        const runMs = RUN_MS_MIN + random() * (RUN_MS_MAX - RUN_MS_MIN)
        if (ending === 'import') violations.push(...(await crashImport(world, runMs / 3)))
        else if (ending === 'migration')
          violations.push(...(await crashMigration(world, runMs / 5)))
        else await crashService(world, ending, runMs)
        violations.push(
          ...damageOf(world.statePath).map((damage) => `round ${round} (${ending}): ${damage}`),
        )
      }
      // One quiet run, so that what a next poll repairs is repaired.
      for (const world of worlds) await crashService(world, 'settle', 0)
      const totals = { handedOut: 0, acknowledged: 0, stored: 0, lost: 0 }
      for (const { kind, fake, monitor, statePath } of worlds) {
        const verdict = await verdictOn(kind, fake, monitor.runs, tablesIn(statePath))
        violations.push(...verdict.violations.map((violation) => `${kind}: ${violation}`))
        if (!(await survivesRoundTrip(statePath)))
          violations.push(`${kind}: export, import and export again differ`)
        totals.handedOut += verdict.handedOut
        totals.acknowledged += verdict.acknowledged
        totals.stored += verdict.stored
        totals.lost += verdict.rowsLost
      }
      return { rounds, byEnding, ...totals, violations }
    } finally {
      for (const { monitor } of worlds) await monitor.close()
    }
  })

async function crashService(world: World, ending: string, runMs: number): Promise<void> {
  const { monitor, kind, fake } = world
  recordSome(fake, kind === 'queue' ? BACKLOG : 200)
  await monitor.start()
  if (ending === 'start') await pause((runMs / RUN_MS_MAX) * world.startMs)
  else {
    const startedMs = performance.now()
    await eventually('the service is up', monitor.isUp)
    world.startMs = performance.now() - startedMs
    if (ending === 'settle') await settled(world)
    else await pause(runMs)
  }
  if (ending === 'freeze') {
    monitor.freeze()
    await pause(20)
  }
  await monitor.end(ending === 'stop' || ending === 'settle' ? 'SIGTERM' : 'SIGKILL')
}

/**
 * Waits until all is stored. A stop in the middle of a pop loses its records, and only the next start would tell the gap; a tree can be read again.
 */
async function settled({ kind, fake, monitor }: World): Promise<void> {
  await eventually('a poll is stored', () => monitor.toldCount() > 0)
  if (kind === 'legacy') return
  await eventually('the queue is empty', () => fake.usage.waitingCount() === 0)
  const toldCount = monitor.toldCount()
  // The first of them may be of the pop before the last one.
  await eventually('two pops are stored', () => monitor.toldCount() > toldCount + 1)
}

/** Exports the store and imports it into a new one; the import is killed, then repeated until it completes. The result must equal the original. */
async function crashImport({ statePath }: World, runMs: number): Promise<readonly string[]> {
  // Of a service that was killed at once there is no history yet, or one without an identity, which an import gives it.
  if (!hasIdentity(statePath)) return []
  const damages: string[] = []
  const isSame = await survivesRoundTrip(statePath, async (target, backup) => {
    const child = spawnService(
      {
        where: 'program',
        time: { startsAt: clock.now() },
        args: ['import-history', '--state-db', target, backup],
      },
      { stdio: 'ignore' },
    )
    await killedAfter(child, runMs)
    damages.push(...damageOf(target).map((damage) => `after a killed import: ${damage}`))
  })
  return isSame
    ? damages
    : [...damages, 'an import that was killed and run again differs from the backup']
}

/** Whether a store stays the same when it is exported, imported into a new one, on which `before` works first, and exported again. */
function survivesRoundTrip(
  statePath: string,
  before?: (target: string, backup: string) => Promise<void>,
): Promise<boolean> {
  return inFolder(async (folder) => {
    const [one, copy, two] = ['one.json', 'copy.db', 'two.json'].map((name) =>
      join(folder, name),
    ) as [string, string, string]
    const exportInto = (output: string, from: string) =>
      exportBackup({ statePath: from, output, exportedAt: 'then', appVersion: '0' })
    await exportInto(one, statePath)
    await before?.(copy, one)
    await importBackup({ statePath: copy, file: one, now: clock.now() })
    await exportInto(two, copy)
    return readFileSync(one).equals(readFileSync(two))
  })
}

/** Kills the migration of a copy of the store to a newer schema; it must then complete with every row. */
async function crashMigration({ statePath }: World, runMs: number): Promise<readonly string[]> {
  if (!existsSync(statePath)) return []
  return await inFolder(async (folder) => {
    const copy = join(folder, 'migrated.db')
    // The last round may have left the newest rows in the WAL file.
    for (const suffix of ['', '-wal'])
      if (existsSync(statePath + suffix)) copyFileSync(statePath + suffix, copy + suffix)
    const rows = countOf(copy)
    const migrate = join(top, 'tooling/dist/faults/migrating-store.js')
    await killedAfter(spawn(process.execPath, [migrate, copy], { stdio: 'ignore' }), 60 + runMs)
    const violations = damageOf(copy).map((damage) => `after a killed migration: ${damage}`)
    const { stdout, stderr } = spawnSync(process.execPath, [migrate, copy], { encoding: 'utf8' })
    if (!stdout.includes('migrated'))
      violations.push(`a killed migration is not completed: ${stderr.slice(0, 200)}`)
    if (countOf(copy) !== rows) violations.push('a killed migration has lost rows')
    return violations
  })
}

/** Kills a process unless it has ended by then, and waits until the system has released its files. */
async function killedAfter(child: ChildProcess, runMs: number): Promise<void> {
  const ended = once(child, 'exit')
  await Promise.race([ended, pause(runMs)])
  child.kill('SIGKILL')
  await ended
}

function hasIdentity(path: string): boolean {
  if (!existsSync(path) || inspectStore(path).file !== 'store') return false
  const sql = "SELECT 1 FROM meta WHERE name = 'fingerprint_key'"
  return inFile(path, (db) => db.prepare(sql).get() !== undefined)
}

function countOf(path: string): number {
  return inFile(path, (db) => Number(db.prepare('SELECT count(*) FROM usage').pluck().get()))
}

/** Errors that SQLite finds in a file. */
function damageOf(path: string): readonly string[] {
  if (!existsSync(path)) return []
  return inFile(path, (db) => {
    const integrity = db.pragma('integrity_check', { simple: true })
    const foreignKeys = db.pragma('foreign_key_check') as readonly unknown[]
    return [
      ...(integrity === 'ok' ? [] : [`integrity_check says ${String(integrity)}`]),
      ...(foreignKeys.length === 0 ? [] : ['foreign_key_check finds rows']),
    ]
  })
}

function tablesIn(path: string): StoreTables {
  return {
    column: async (sql) =>
      inFile(path, (db) => (db.prepare(sql).pluck().all() as readonly unknown[]).map(String)),
    schema: '',
    rollup: (tier) => `(SELECT * FROM rollups WHERE tier_seconds = ${tier})`,
  }
}

function inFile<Result>(path: string, work: (db: Database) => Result): Result {
  const db = openSqlite(path)
  try {
    return work(db)
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
