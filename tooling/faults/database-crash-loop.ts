import { seededRandom } from '../bench/statistics.ts'
import { eventually, pause } from '../eventually.ts'
import { type CrashVerdict, type StoreTables, verdictOn } from './crash-verdict.ts'
import { ledgeredProxy, recordSome } from './crash-world.ts'
import { type DatabasePair, startPair } from './database-pair.ts'
import { type WitnessedMonitor, witnessedMonitor } from './witnessed-monitor.ts'

const RECORDS = 1_000
const RUN_MS_MIN = 50
const RUN_MS_MAX = 2_500
const DOWN_MS_MAX = 500
const RETURN_CHANCE = 0.4

interface Victims {
  readonly database: DatabasePair
  /** One that runs. */
  readonly monitor: WitnessedMonitor
  readonly downMs: number
}

/** What happens to monitors and database, with the more common ones several times. */
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

/** Longer than a lease of a monitor that says nothing. */
const FROZEN_MS = 8_000

/** What happens besides where one monitor can take over from another. */
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

export interface DatabaseCrashReport extends CrashVerdict {
  readonly rounds: number
  readonly byEvent: Readonly<Record<string, number>>
}

/** Kills monitors, their database and its standby at random moments, again and again, and says what the database holds in the end. */
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

/** At least one of them; the others may stay away for a while, so that one takes over from another. */
async function startSome(
  monitors: readonly WitnessedMonitor[],
  random: () => number,
): Promise<void> {
  for (const monitor of monitors) if (random() < RETURN_CHANCE) await monitor.start()
  if (!monitors.some((monitor) => monitor.isRunning())) await monitors[0]?.start()
}
