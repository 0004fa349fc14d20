import type { UsageQuery, UsageRangeId } from '@svc/core/usage'
import type { Finding } from '../bench/goals.ts'

/** Store of a bench: a file or a database. */
export interface BenchStore {
  /** Value for `--state-db`. */
  readonly location: string
  /** Size of all requests with their keys and sums. */
  bytes(): Promise<number>
  /** Prepares the question of a chart for the engine's own program; each call resolves with the milliseconds of some runs. */
  chartProgram(query: UsageQuery): Promise<() => Promise<readonly number[]>>
  remove(): Promise<void>
}

/** A request in the least form that any program would read from a record of the queue. */
export interface BareRow {
  readonly atMs: number
  readonly key: Buffer
  readonly accountId: number
  readonly apiKey: string
  readonly model: string
  readonly tokens: { readonly total: number; readonly input: number; readonly output: number }
  readonly latencyMs: number
  readonly failed: boolean
}

/** Writes rows directly, bypassing the store, with one transaction for each call. */
export interface BareWriter {
  insert(rows: readonly BareRow[]): Promise<void>
  close(): Promise<void>
}

/** Goals that an engine is measured against. */
interface EngineGoals {
  readonly ingest: {
    readonly id: string
    readonly ratioMin: number
    readonly thousandsMin: number
    /** Number of records in an answer of the queue, and milliseconds between two records. */
    readonly batch: number
    readonly everyMs: number
    /** Whether the time to read the answers counts. */
    readonly countsReading: boolean
  }
  readonly charts: {
    readonly id: string
    readonly p95MsMax: number
    readonly program: string
    /** Groups of charts, each compared with the program as a whole. */
    readonly kinds: readonly {
      readonly id: string
      readonly one: string
      readonly all: string
      readonly ratioMax: number
      readonly has: (range: UsageRangeId) => boolean
    }[]
  }
  readonly size: { readonly id: string; readonly what: string; readonly bytesMax: number }
  readonly sustained: {
    readonly eventsPerSecond: number
    readonly readMsMax: number
    readonly bytesMax: number | null
  }
}

/** Engine under test: SQLite files, or databases of a PostgreSQL server. */
export interface Engine {
  readonly goals: EngineGoals
  /** Number of rows in a world, unless `--rows` sets it. */
  readonly rows: string
  /** Benches of this engine only, by their names for `--only`. */
  readonly parts: Readonly<Record<string, (rows: number) => Promise<readonly Finding[]>>>
  emptyStore(): Promise<BenchStore>
  bareWriter(): Promise<BareWriter>
  /** Store with this many requests over 90 days, always the same; kept between runs. */
  world(rows: number): Promise<BenchStore>
  close(): Promise<void>
}

/** Runs `work` with a store and removes the store afterwards. */
export async function withStore<Store extends BenchStore, Result>(
  opening: Promise<Store>,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await opening
  try {
    return await work(store)
  } finally {
    await store.remove()
  }
}
