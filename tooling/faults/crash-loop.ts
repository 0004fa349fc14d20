import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { decodeQueue, decodeTree, noAccounts } from '@svc/collector'
import { instantToIso, plusMs } from '@svc/core'
import type { UsageDetail } from '@svc/core/usage'
import { createFakeUpstream, type FakeUpstream, samplePool } from '@svc/fake-proxy'
import { exportBackup, importBackup, inspectStore } from '@svc/history'
import Database from 'better-sqlite3'
import { acceleratedClock } from '../accelerated-clock.ts'
import { seededRandom } from '../bench/statistics.ts'
import { eventually, pause } from '../eventually.ts'
import { type ServedFake, serveFake } from '../serve-fake.ts'
import { freePort, program } from '../service/built-program.ts'
import { top } from '../top.ts'

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

const KEY = 'crash-loop-management-key'
const BACKLOG = 2_500
const LEGACY_EVERY = 4
const RUN_MS_MIN = 50
const RUN_MS_MAX = 1_500

/** One proxy with its ledger, and the store of the service in front of it. */
interface World {
  readonly kind: 'queue' | 'legacy'
  readonly fake: FakeUpstream
  readonly served: ServedFake
  readonly statePath: string
  readonly acknowledged: Set<string>
  /** Answers of the queue that were the last one a killed process took. */
  readonly unfinishedAnswers: Set<number>
}

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
      else await crashService(world, ending, ending === 'start' ? runMs / 20 : runMs)
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

/** One for the fake proxies and every service, however often it is started. */
const clock = acceleratedClock()
const startInstant = () => `--start-instant=${instantToIso(clock.now())}`

async function worldOf(kind: World['kind'], folder: string): Promise<World> {
  const fake = createFakeUpstream({
    now: clock.now,
    managementKey: KEY,
    accounts: samplePool(clock.now()),
  })
  fake.settings.usage = kind
  fake.settings.queueRetentionSeconds = 3_600
  return {
    kind,
    fake,
    served: await serveFake(fake, 0),
    statePath: join(folder, `${kind}.db`),
    acknowledged: new Set(),
    unfinishedAnswers: new Set(),
  }
}

function recordSome({ fake }: World, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const account = fake.accounts[index % fake.accounts.length]
    if (account === undefined) continue
    fake.usage.record({
      at: plusMs(clock.now(), -(index % 4_000_000)),
      source: account.email,
      authIndex: fake.authIndexOf(account),
      apiKey: `sk-client-${index % 5}`,
      model: `model-${index % 3}`,
      tokens: index % 2_000,
    })
  }
}

async function crashService(world: World, ending: string, runMs: number): Promise<void> {
  recordSome(world, world.kind === 'queue' ? BACKLOG : 200)
  const answersBefore = lastAnswerOf(world)
  const ledgerBefore = world.fake.usage.ledger.length
  const { child, stderr } = await started(world)
  if (ending === 'settle')
    await eventually('a poll is stored', () => stderr().includes(' usage stored '))
  else await pause(runMs)
  const exited = once(child, 'exit')
  if (ending === 'freeze') {
    child.kill('SIGSTOP')
    await pause(20)
  }
  child.kill(ending === 'stop' || ending === 'settle' ? 'SIGTERM' : 'SIGKILL')
  await exited

  const acknowledgedCount = stderr().split(' usage stored ').length - 1
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

async function started({
  served,
  statePath,
}: World): Promise<{ readonly child: ChildProcess; readonly stderr: () => string }> {
  const flags = [
    '--config',
    'off',
    '--upstream-url',
    served.url,
    '--state-db',
    statePath,
    '--port',
    String(await freePort()),
    '--log-level',
    'debug',
  ]
  const child = spawn(process.execPath, [program, ...flags, startInstant()], {
    env: { PATH: process.env.PATH ?? '', SVC_QUOTA_MONITOR_MANAGEMENT_KEY: KEY },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  return { child, stderr: () => text }
}

function lastAnswerOf({ fake }: World): number {
  return fake.usage.answerCount()
}

/** Exports the store, imports it into a new one, killed on the way, and again until it is through; the same must come out. */
async function crashImport(
  world: World,
  folder: string,
  runMs: number,
  violations: string[],
): Promise<void> {
  // A service that was killed at once has made no history yet.
  if (!existsSync(world.statePath) || inspectStore(world.statePath).file !== 'store') return
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

function clear(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith(prefix)) rmSync(join(folder, name))
}

function countOf(path: string): number {
  const db = new Database(path)
  try {
    return Number(db.prepare('SELECT count(*) FROM usage').pluck().get())
  } finally {
    db.close()
  }
}

/** What SQLite finds wrong with a file. */
function damageOf(path: string): readonly string[] {
  if (!existsSync(path)) return []
  const db = new Database(path)
  try {
    const integrity = db.pragma('integrity_check', { simple: true })
    const foreignKeys = db.pragma('foreign_key_check') as readonly unknown[]
    return [
      ...(integrity === 'ok' ? [] : [`integrity_check says ${String(integrity)}`]),
      ...(foreignKeys.length === 0 ? [] : ['foreign_key_check finds rows']),
    ]
  } finally {
    db.close()
  }
}

async function verdictOn(
  worlds: Readonly<Record<World['kind'], World>>,
  folder: string,
  violations: string[],
) {
  const totals = { handedOut: 0, acknowledged: 0, stored: 0, lost: 0 }
  for (const world of Object.values(worlds)) {
    const { kind, fake, statePath, acknowledged, unfinishedAnswers } = world
    const db = new Database(statePath, { readonly: true })
    const stored = new Set(
      db.prepare("SELECT at_ms || ' ' || key FROM usage").pluck().all() as string[],
    )
    const handedOut = fake.usage.ledger.filter(
      (record) => kind === 'legacy' || record.handedOutWith !== null,
    )
    const identities = identitiesOf(world, handedOut)
    const known = new Set(identities.values())
    for (const row of stored)
      if (!known.has(row))
        violations.push(`${kind}: a row is stored that the proxy never handed out`)
    for (const record of handedOut) {
      const identity = identities.get(record.json) ?? ''
      if (stored.has(identity)) continue
      totals.lost += 1
      if (acknowledged.has(record.json)) violations.push(`${kind}: an acknowledged record is lost`)
      if (kind === 'legacy') violations.push('legacy: a record is missing after a full poll')
      else if (!unfinishedAnswers.has(record.handedOutWith ?? 0))
        violations.push('queue: a record is missing that was not on its way when a process died')
    }
    violations.push(...rollupDifferences(db, kind))
    db.close()
    violations.push(...(await roundTrip(statePath, folder, kind)))
    totals.handedOut += handedOut.length
    totals.acknowledged += acknowledged.size
    totals.stored += stored.size
  }
  return { ...totals, violations: [...new Set(violations)] }
}

/** Time and key of each record, as the service must find them. */
function identitiesOf(
  { kind, fake }: World,
  records: FakeUpstream['usage']['ledger'],
): ReadonlyMap<string, string> {
  const context = { directory: noAccounts, receivedAt: clock.now() }
  const identity = ({ at, key }: UsageDetail) => `${at} ${key}`
  if (kind === 'queue') {
    const decoded = decodeQueue(
      records.map(({ json }) => JSON.parse(json)),
      context,
    )
    return new Map(
      records.map(({ json }, index) => [
        json,
        identity(decoded?.batch.details[index] as UsageDetail),
      ]),
    )
  }
  // The tree holds the same requests in its own order; each of them is there, or none of this holds.
  const details = [...(decodeTree([Buffer.from(fake.usage.tree())], context)?.parts ?? [])].flatMap(
    ({ batch }) => batch.details,
  )
  return new Map(records.map(({ json }, index) => [json, identity(details[index] as UsageDetail)]))
}

const COLUMNS = ['0', 'account_id', 'model_id', 'api_name_id'] as const
/** Rollups that must still be whole: the others may be gone by now. */
const TIERS = [60, 900, 7_200, 86_400] as const

function rollupDifferences(db: Database.Database, kind: string): readonly string[] {
  return COLUMNS.flatMap((column, grouping) =>
    TIERS.flatMap((tier) => {
      const kept = `SELECT bucket_s, member_id, requests, tokens, failed FROM rollups WHERE grouping = ${grouping} AND tier_seconds = ${tier}`
      const made = `SELECT at_ms / ${tier * 1000} * ${tier} b, ${column} m, count(*), sum(tokens), sum(failed) FROM usage GROUP BY b, m`
      const count = Number(
        db
          .prepare(
            `SELECT (SELECT count(*) FROM (${kept} EXCEPT ${made})) + (SELECT count(*) FROM (${made} EXCEPT ${kept}))`,
          )
          .pluck()
          .get(),
      )
      return count === 0
        ? []
        : [`${kind}: ${count} rollups of ${tier} s by ${column} differ from the rows`]
    }),
  )
}

async function roundTrip(
  statePath: string,
  folder: string,
  kind: string,
): Promise<readonly string[]> {
  const [one, copy, two] = ['one.json', 'copy.db', 'two.json'].map((name) =>
    join(folder, `round-${kind}-${name}`),
  ) as [string, string, string]
  await exportBackup({ statePath, output: one, exportedAt: 'then', appVersion: '0' })
  await importBackup({ statePath: copy, file: one, now: clock.now() })
  await exportBackup({ statePath: copy, output: two, exportedAt: 'then', appVersion: '0' })
  return readFileSync(one).equals(readFileSync(two))
    ? []
    : [`${kind}: export, import and export again differ`]
}

if (process.argv[1]?.endsWith('crash-loop.js') === true) {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
  })
  const startedMs = performance.now()
  const report = await runCrashLoop({ rounds: Number(values.rounds), seed: Number(values.seed) })
  console.log(
    JSON.stringify(
      { ...report, seconds: Math.round((performance.now() - startedMs) / 1000) },
      null,
      2,
    ),
  )
  process.exitCode = report.violations.length === 0 ? 0 : 1
}
