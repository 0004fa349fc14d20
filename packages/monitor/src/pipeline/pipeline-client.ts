import type { Upstream } from '@svc/config'
import { type Unready, unreadyOf } from '@svc/core/health'
import type { Clock, Log, SchedulerQuestion } from '@svc/core/service'
import type { EventRing } from '../answers/event-ring.ts'
import type {
  Asked,
  Compression,
  FilteredReading,
  PayloadName,
  Reading,
  ReadyAnswer,
} from '../answers/ready-answer.ts'
import type { HistoryAnswers } from '../evaluation/history-answers.ts'
import { READER_MS } from '../evaluation/publisher.ts'
import { ReaderBusy } from '../store/store-reader.ts'
import { ChannelError, forwarded } from '../threads/channel.ts'
import { endsWithin } from '../threads/thread.ts'
import type { PipelineApi } from './compose-pipeline.ts'
import type { PipelineEvents, PipelineSetup, Publication } from './pipeline-api.ts'
import type { PipelineStart } from './pipeline-start.ts'
import {
  createShownPublication,
  type PublishedMetrics,
  type ShownPublication,
} from './shown-publication.ts'
import { type SupervisedWorker, superviseWorker } from './supervise-worker.ts'

export interface PipelineClientDeps {
  readonly start: PipelineStart
  readonly setup: PipelineSetup
  readonly events: EventRing
  readonly metrics: PublishedMetrics
  readonly clock: Clock
  readonly log: Log
}

/** Answers made from the published snapshot, available once it exists. */
const fromSnapshotNames = { pick: true, calendar: true } as const
type FromSnapshot = {
  readonly [Name in keyof typeof fromSnapshotNames]: (
    ...args: Parameters<PipelineApi[Name]>
  ) => Promise<NonNullable<ReturnType<PipelineApi[Name]>>>
}

const fromHistoryNames: Readonly<Record<keyof HistoryAnswers, true>> = {
  chart: true,
  course: true,
  account: true,
  healthHistory: true,
  cycles: true,
  rows: true,
  failures: true,
  prices: true,
}

const toldNames = {
  refreshElsewhere: true,
  requestRefresh: true,
  cancelRefresh: true,
  refreshAvailable: true,
  isManagementKey: true,
} as const
type Told = {
  readonly [Name in keyof typeof toldNames]: (
    ...args: Parameters<PipelineApi[Name]>
  ) => Promise<ReturnType<PipelineApi[Name]>>
}

/** Interval at which the pipeline is told of a reader. */
const READER_NOTED_MS = 5_000
/** Longest wait of the first reader for an answer; the largest pools need most of it. */
const FIRST_READ_MS_MAX = 1_000
/** Longest wait for an answer of the pipeline. Shorter than the limit of an HTTP answer. */
const ANSWER_MS_MAX = 25_000

/** The pipeline as seen by the answering thread. A pipeline that ends or hangs is replaced; its last publication stays served meanwhile. */
export function createPipelineClient({
  start,
  setup: setupAtStart,
  events,
  metrics,
  clock,
  log,
}: PipelineClientDeps) {
  const createdAtMs = clock.monotonicMs()
  const shown = createShownPublication(metrics, log)
  let isWatching = false
  /** A replacement pipeline begins with the current proxies. */
  let setup = setupAtStart

  const pipeline = superviseWorker({
    start: (isCurrent, onEnd) => {
      const publish = (publication: Publication) => {
        if (!isCurrent() || !shown.publish(publication)) return
        if (publication.snapshotEvent !== undefined) events.addSnapshot(publication.snapshotEvent)
      }
      const news = (texts: readonly string[]) => {
        if (isCurrent()) for (const text of texts) events.add(text)
      }
      const write: PipelineEvents['log'] = (level, ...line) => log[level](...line)
      return start(setup, { ...metrics, log: write, publish, news }, onEnd)
    },
    onLost() {
      shown.stall()
      events.interrupt()
    },
    onReplaced() {
      pipeline.tell('prepare', [])
      if (isWatching) pipeline.tell('start', [])
      readers.forget()
    },
    clock,
    log,
  })
  const readers = createReaders({ pipeline, clock, shown })

  /** Waits for an answer, but gives up before the client does, because a hanging pipeline is noticed only later. */
  const answered = async <Value>(call: Promise<Value>): Promise<Value> => {
    if (!(await endsWithin(clock, ANSWER_MS_MAX, call))) throw new ChannelError('crashed')
    return await call
  }

  /** Wraps a call that answers from the published snapshot, which is as new as a reader may expect; null without a snapshot. */
  const fromSnapshot = async <Value>(call: () => Promise<Value | null>): Promise<Value> => {
    await readers.note(null)
    const answer = await answered(call())
    if (answer === null) throw new ChannelError('crashed')
    return answer
  }

  /** Wraps a call that computes its answer from the history, and maps lost calls to ReaderBusy. */
  const fromHistory = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    try {
      void readers.note(null)
      return await answered(call())
    } catch (error) {
      throw error instanceof ChannelError &&
        (error.code === 'reader_busy' || error.code === 'crashed')
        ? new ReaderBusy(error.message)
        : error
    }
  }

  return {
    /** Resolves with the first publication, or if the pipeline is lost before it. Makes no call outside the process. */
    prepare() {
      pipeline.tell('prepare', [])
      return shown.first
    },
    /** Starts watching the proxy. */
    start() {
      isWatching = true
      pipeline.tell('start', [])
    },
    /**
     * The payload for a reader. A promise only before the first publication and for the first reader after a minute without readers; resolves with an
     * answer made for that reader or, after a second, with the existing one. Rejects with ChannelError without a publication.
     */
    payload(reading: Reading): ReadyAnswer | Promise<ReadyAnswer> {
      const made = readers.note(reading)
      return made === null
        ? shown.payload(reading.payload)
        : made.then(() => shown.payload(reading.payload))
    },
    /** Records that somebody follows the events. Returns a promise while a snapshot is made for the first follower, else null. */
    eventsRead: () => readers.note('events'),
    /** Resolves once the gauges are as new as a scraper may expect. */
    async gaugesRead(): Promise<void> {
      await readers.note('gauges')
    },
    payloadAt: (reading: FilteredReading) =>
      shown.part(reading, () => fromSnapshot(() => pipeline.call('payloadAt', [reading]))),
    ...forwarded<FromSnapshot>(fromSnapshotNames, (method, args) =>
      fromSnapshot(() => pipeline.call(method, args)),
    ),
    ...forwarded<HistoryAnswers>(fromHistoryNames, (method, args) =>
      fromHistory(() => pipeline.call(method, args)),
    ),
    ...forwarded<Told>(toldNames, (method, args) => answered(pipeline.call(method, args))),
    /** Notes a question of a scheduler; the next snapshot shows it. */
    schedulerAsked: (question: SchedulerQuestion) => pipeline.tell('schedulerAsked', [question]),
    /** Reason why the service is not ready; null if it is ready. */
    unready: (): Unready | null =>
      unreadyOf(shown.readiness(), (clock.monotonicMs() - createdAtMs) / 1000),
    /** `upstreams`: the current tables of the configuration; empty without tables. */
    reload(upstreams: readonly Upstream[]) {
      setup = withUpstreams(setup, upstreams)
      pipeline.tell('reload', [upstreams])
    },
    /** Resolves with false if a thread hangs in a system call and so outlives its pipeline. */
    stop: pipeline.stop,
  }
}

export type PipelineClient = ReturnType<typeof createPipelineClient>

function withUpstreams(setup: PipelineSetup, upstreams: readonly Upstream[]): PipelineSetup {
  const { config } = setup
  return { ...setup, config: { ...config, fleet: { ...config.fleet, upstreams } } }
}

interface ReadersDeps {
  readonly pipeline: SupervisedWorker
  readonly clock: Clock
  readonly shown: ShownPublication
}

/** Tells the pipeline about readers, for each payload and compression separately. */
function createReaders(deps: ReadersDeps) {
  // Looked up by two plain members, because every read passes here.
  let readers: Partial<Record<PayloadName, Partial<Record<Compression, Reader>>>> = {}
  let others: Partial<Record<'gauges' | 'events' | 'else', Reader>> = {}
  return {
    /** Records a reader. Returns a promise while an answer is made for the first reader, else null. */
    note(asked: Asked): Promise<unknown> | null {
      if (asked === null || typeof asked === 'string') {
        const other = asked ?? 'else'
        others[other] ??= createReader(asked, deps)
        return others[other].note()
      }
      const { payload, compression } = asked
      readers[payload] ??= {}
      readers[payload][compression] ??= createReader(asked, deps)
      return readers[payload][compression].note()
    },
    /** Forgets all readers: a new pipeline has not heard of any. */
    forget() {
      readers = {}
      others = {}
    },
  }
}

/** All readers of one payload in one compression. */
function createReader(asked: Asked, { pipeline, clock, shown }: ReadersDeps) {
  let notedAtMs = Number.NEGATIVE_INFINITY
  let firstRead: Promise<unknown> | null = null
  return {
    note(): Promise<unknown> | null {
      const nowMs = clock.monotonicMs()
      const silentMs = nowMs - notedAtMs
      if (silentMs < READER_NOTED_MS) return firstRead
      notedAtMs = nowMs
      if (silentMs < READER_MS) {
        pipeline.tell('read', [asked])
        return firstRead
      }
      const read = pipeline.call('read', [asked]).catch(() => undefined)
      const made: Promise<unknown> = shown.isEmpty()
        ? shown.first
        : endsWithin(clock, FIRST_READ_MS_MAX, read)
      firstRead = made.finally(() => {
        firstRead = null
      })
      return firstRead
    },
  }
}

type Reader = ReturnType<typeof createReader>
