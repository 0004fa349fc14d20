import type { UsageQuery, UsageRangeId } from '@svc/core/usage'
import type { Finding } from '../bench/goals.ts'

/** A store of a bench: a file, or a database. */
export interface BenchStore {
  /** As `--state-db` takes it. */
  readonly location: string
  /** Of all requests, their keys and their sums. */
  bytes(): Promise<number>
  /** The engine's own program with the question of a chart: each call resolves with the milliseconds of some runs. */
  chartProgram(query: UsageQuery): Promise<() => Promise<readonly number[]>>
  remove(): Promise<void>
}

/** A request as the least that any program would do finds it in a record of the queue. */
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

/** Writes rows past the store, those of a call in one transaction. */
export interface BareWriter {
  insert(rows: readonly BareRow[]): Promise<void>
  close(): Promise<void>
}

/** What an engine is measured by. */
interface EngineGoals {
  readonly ingest: {
    readonly id: string
    readonly ratioMin: number
    readonly thousandsMin: number
    /** Records of an answer of the queue, and the milliseconds from one to the next. */
    readonly batch: number
    readonly everyMs: number
    /** Whether it counts how long it takes to read the answers. */
    readonly countsReading: boolean
  }
  readonly charts: {
    readonly id: string
    readonly p95MsMax: number
    readonly program: string
    /** Charts that are compared with the program together. */
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

/** Files of SQLite, or databases of a PostgreSQL server. */
export interface Engine {
  readonly goals: EngineGoals
  /** How many rows the worlds have unless `--rows` says it. */
  readonly rows: string
  /** Benches of this engine alone, by their names for `--only`. */
  readonly parts: Readonly<Record<string, (rows: number) => Promise<readonly Finding[]>>>
  emptyStore(): Promise<BenchStore>
  bareWriter(): Promise<BareWriter>
  /** A store of so many requests over 90 days, the same every time; kept between runs. */
  world(rows: number): Promise<BenchStore>
  close(): Promise<void>
}

/** Runs `work` with a store, which is gone afterwards. */
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
