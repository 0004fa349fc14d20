import type { UsageQuestion } from '@svc/core/usage'

/** Store of a bench: a file or a database. */
export interface BenchStore {
  /** Value for `--state-db`. */
  readonly location: string
  /** Size of all requests with their keys and sums. */
  bytes(): Promise<number>
  /** Prepares the question of a chart for the engine's own program; each call resolves with the milliseconds of some runs. */
  chartProgram(query: UsageQuestion): Promise<() => Promise<readonly number[]>>
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

/** Engine under test, SQLite files or databases of a PostgreSQL server, with its goals. */
export interface Engine {
  readonly ingest: {
    readonly ratioMin: number
    readonly thousandsMin: number
    /** Number of records in an answer of the queue, and milliseconds between two records. */
    readonly batch: number
    readonly everyMs: number
    /** Whether the time to read the answers counts. */
    readonly countsReading: boolean
  }
  readonly charts: {
    readonly p95MsMax: number
    /** The engine's own program, and the largest ratio to it of charts of sums (P6) and of rows (P7). */
    readonly program: string
    readonly ratioMax: { readonly P6: number; readonly P7: number }
  }
  readonly bytesMax: number
  readonly sustained: { readonly eventsPerSecond: number; readonly readMsMax: number }
  emptyStore(): Promise<BenchStore>
  bareWriter(): Promise<BareWriter>
  /** Store with this many requests over 90 days, always the same; kept between runs. */
  world(rows: number): Promise<BenchStore>
  /** Copy of a world that a bench may change. */
  copyOfWorld(rows: number): Promise<BenchStore>
  close(): Promise<void>
}

/** Runs `work` with a store and removes the store afterwards. */
export async function withStore<Result>(
  opening: Promise<BenchStore>,
  work: (store: BenchStore) => Promise<Result>,
): Promise<Result> {
  const store = await opening
  try {
    return await work(store)
  } finally {
    await store.remove()
  }
}
