import type { Finding } from '../../bench/goals.ts'
import { measureSustained } from '../sustained.ts'
import { measureForgetting } from './forgetting.ts'
import { measureIngest } from './ingest.ts'
import { measureSeries } from './series.ts'
import { emptyStore, startServer, usageBytes, worldIn } from './world.ts'

const PARTS = ['ingest', 'series', 'size', 'forgetting'] as const

/** The figures of the PostgreSQL engine on a server of its own, on this machine; `done` is told of each as it is measured. */
export async function benchPostgres(
  { rows, only, seconds, kept }: BenchOptions,
  done: (found: readonly Finding[]) => void,
): Promise<void> {
  const unknown = only.find((part) => !PARTS.some((known) => known === part))
  if (unknown !== undefined) throw new Error(`--only takes ${PARTS.join(', ')}`)
  const server = await startServer(kept)
  try {
    if (only.includes('ingest')) done(await measureIngest(server))
    for (const count of only.some((part) => part !== 'ingest') ? rows : []) {
      const world = await worldIn(server, count)
      if (only.includes('series')) done(await measureSeries(world, count))
      if (only.includes('size')) done([sizeOf(await usageBytes(world), count)])
      if (only.includes('forgetting')) done(await measureForgetting(world, count))
    }
    if (seconds > 0) {
      const store = await emptyStore(server)
      done(
        await measureSustained(seconds, {
          location: store.address,
          bytes: () => usageBytes(store),
          eventsPerSecond: 3_000,
          goals: { readMsMax: 150, bytesMax: null },
        }),
      )
    }
  } finally {
    await server.remove()
  }
}

interface BenchOptions {
  readonly rows: readonly number[]
  readonly only: readonly string[]
  /** Of writing and reading at once. */
  readonly seconds: number
  /** A folder that the server and its databases stay in; null: all of it is deleted. */
  readonly kept: string | null
}

function sizeOf(bytes: number, rows: number): Finding {
  return {
    id: 'fleet',
    what: `bytes a row with key and sums, ${rows / 1e6} M rows`,
    measured: bytes / rows,
    unit: 'B',
    bound: { atMost: 150 },
  }
}
