import { type PostgresServer, startPostgres, startRelay } from '@svc/history/testing'
import { seededRandom } from '../bench/goals.ts'
import { eventually, pause } from '../eventually.ts'
import { type CrashVerdict, type StoreTables, verdictOn } from './crash-verdict.ts'
import {
  ledgeredProxy,
  recordSome,
  type WitnessedMonitor,
  witnessedMonitor,
} from './witnessed-monitor.ts'

/** Starts a database with a synchronous standby, at an address that stays the same. */
async function startPair() {
  let primary = await startPostgres()
  const database = await primary.createDatabase()
  let standby = await followed(primary)
  const relay = await startRelay(primary.port)
  return {
    address: primary.address(database).replace(`:${primary.port}/`, `:${relay.port}/`),
    /** Runs statements as the superuser; resolves with the rows as lines. */
    sql: (statements: string) => primary.sql(statements, database),
    /** Kills the primary and starts it again after `downMs`. */
    async killPrimary(downMs: number) {
      await primary.kill()
      await pause(downMs)
      await primary.start()
    },
    /** Kills the standby, without which nothing is stored, and starts it again after `downMs`. */
    async killStandby(downMs: number) {
      await standby.kill()
      await pause(downMs)
      await standby.start()
    },
    /** Kills the primary for good. The standby takes over, and gets a standby of its own. */
    async failOver() {
      await primary.kill()
      await standby.promote()
      await primary.remove()
      primary = standby
      relay.aim(primary.port)
      standby = await followed(primary)
    },
    /** Cuts every connection. */
    cut: () => relay.aim(primary.port),
    async remove() {
      await relay.close()
      await primary.remove()
    },
  }
}

type DatabasePair = Awaited<ReturnType<typeof startPair>>

/** Adds a standby and waits until the primary commits synchronously to it. */
async function followed(primary: PostgresServer): Promise<PostgresServer> {
  const standby = await primary.standby()
  await primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf()")
  const written = await primary.sql('SELECT pg_current_wal_lsn()')
  await eventually('the standby has what was stored before', async () => {
    const has = `SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND flush_lsn >= '${written}'`
    return (await primary.sql(has)) === '1'
  })
  return standby
}

const RECORDS = 1_000
const RUN_MS_MIN = 50
const RUN_MS_MAX = 2_500
const DOWN_MS_MAX = 500
const RETURN_CHANCE = 0.4

interface Victims {
  readonly database: DatabasePair
  /** A running monitor. */
  readonly monitor: WitnessedMonitor
  readonly downMs: number
}

/** Events that hit monitors and database; the more common ones are repeated. */
const EVENTS: readonly (readonly [name: string, happen: (victims: Victims) => unknown])[] = [
  ['monitor killed', ({ monitor }) => monitor.end('SIGKILL')],
  ['monitor killed', ({ monitor }) => monitor.end('SIGKILL')],
  ['monitor killed', ({ monitor }) => monitor.end('SIGKILL')],
  ['monitor stopped', ({ monitor }) => monitor.end('SIGTERM')],
  ['primary killed', ({ database, downMs }) => database.killPrimary(downMs)],
  ['primary killed', ({ database, downMs }) => database.killPrimary(downMs)],
  ['standby killed', ({ database, downMs }) => database.killStandby(downMs)],
  ['connections cut', ({ database }) => database.cut()],
  ['standby promoted', ({ database }) => database.failOver()],
  [
    'monitor and primary killed',
    ({ database, monitor, downMs }) =>
      Promise.all([monitor.end('SIGKILL'), database.killPrimary(downMs)]),
  ],
]

/** Longer than the lease of a silent monitor. */
const FROZEN_MS = 8_000

/** Further events for several monitors, where one can take over from another. */
const EVENTS_OF_SEVERAL: typeof EVENTS = [
  [
    'monitor frozen',
    async ({ monitor }) => {
      monitor.freeze()
      await pause(FROZEN_MS)
      monitor.thaw()
    },
  ],
]

interface DatabaseCrashReport extends CrashVerdict {
  readonly rounds: number
  readonly byEvent: Readonly<Record<string, number>>
}

/** Kills monitors, their database and its standby repeatedly at random moments and reports the final contents of the database. */
export async function runDatabaseCrashLoop({
  rounds,
  seed,
  monitorCount,
}: {
  readonly rounds: number
  readonly seed: number
  readonly monitorCount: number
}): Promise<DatabaseCrashReport> {
  const random = seededRandom(seed)
  const byEvent: Record<string, number> = {}
  const fake = ledgeredProxy('queue')
  const events = monitorCount > 1 ? [...EVENTS, ...EVENTS_OF_SEVERAL] : EVENTS
  const database = await startPair()
  const monitors: WitnessedMonitor[] = []
  try {
    while (monitors.length < monitorCount)
      monitors.push(await witnessedMonitor(fake, database.address))
    for (let round = 0; round < rounds; round += 1) {
      recordSome(fake, RECORDS)
      await startSome(monitors, random)
      await pause(RUN_MS_MIN + random() * (RUN_MS_MAX - RUN_MS_MIN))
      const running = monitors.filter((monitor) => monitor.isRunning())
      const monitor = running[Math.floor(random() * running.length)]
      const [name, happen] = events[Math.floor(random() * events.length)] ?? []
      if (name === undefined || monitor === undefined) continue
      byEvent[name] = (byEvent[name] ?? 0) + 1
      await happen?.({ database, monitor, downMs: random() * DOWN_MS_MAX })
    }
    // One quiet run, so that what waits is stored, and what was lost is told.
    for (const monitor of monitors) await monitor.start()
    await eventually(
      'all is stored',
      () => fake.usage.waitingCount() === 0 && monitors.every((monitor) => monitor.isThrough()),
    )
    for (const monitor of monitors) await monitor.end('SIGTERM')
    const runs = monitors.flatMap((monitor) => monitor.runs)
    return { rounds, byEvent, ...(await verdictOn('queue', fake, runs, tablesIn(database))) }
  } finally {
    for (const monitor of monitors) await monitor.close()
    await database.remove()
  }
}

function tablesIn(database: DatabasePair): StoreTables {
  return {
    column: async (sql) => (await database.sql(sql)).split('\n').filter((line) => line !== ''),
    schema: 'svc_quota_monitor.',
    rollup: (tier) => `svc_quota_monitor.rollup_${tier}`,
  }
}

/** Starts at least one monitor; the others may stay away for a while, so that one takes over from another. */
async function startSome(
  monitors: readonly WitnessedMonitor[],
  random: () => number,
): Promise<void> {
  for (const monitor of monitors) if (random() < RETURN_CHANCE) await monitor.start()
  if (!monitors.some((monitor) => monitor.isRunning())) await monitors[0]?.start()
}
