import {
  type Clock,
  isReady,
  type Log,
  type Readiness,
  type RefreshScope,
  type RunningRefresh,
} from '@svc/core/service'
import type { SeriesRequest } from '../answers/encode-chart.ts'
import { replacedIn } from '../answers/encode-json.ts'
import type { Payloads, Reading, ReadyAnswer } from '../answers/ready-answer.ts'
import type { KeyJudge } from '../guards/refresh-auth.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { IfStalled } from '../monitor/monitor.ts'
import { READER_MS } from '../monitor/reader.ts'
import { ReaderBusy } from '../store/reader-busy.ts'
import { ChannelError } from '../threads/channel.ts'
import { endsWithin, type Thread } from '../threads/thread.ts'
import type { PipelineApi, PipelineSetup, Publication } from './pipeline-api.ts'
import type { PipelineStart } from './pipeline-start.ts'

/** The pipeline as the thread that answers sees it. One that ends or hangs is replaced; what it published last stays served meanwhile. */
export interface PipelineClient extends KeyJudge {
  /** Resolves with the first publication, or when the pipeline is lost before. Touches nothing outside the process. */
  prepare(): Promise<void>
  /** Watches the proxy. */
  start(): void
  /**
   * What a read is answered with. A promise only before the first publication, and for the first who read this after nobody has for a minute: it brings
   * an answer made for them, or after a second what there is. Rejects with ChannelError when there has been no publication yet.
   */
  payload(reading: Reading): ReadyAnswer | Promise<ReadyAnswer>
  /** Resolves once the gauges are as new as the payloads that a reader gets. */
  gaugesRead(): Promise<void>
  /** Rejects with ReaderBusy, or with anything else when the history cannot be read. */
  chart(request: SeriesRequest): Promise<ReadyAnswer>
  /** Begins a refresh or joins the one under way. Resolves once every answer shows it. */
  requestRefresh(scope: RefreshScope): Promise<RunningRefresh>
  isReady(): boolean
  reload(): void
  /** False when a thread hangs in a call of the system and so outlives it. */
  stop(): Promise<boolean>
}

/** Who reads one thing in one form. */
interface Reader {
  /** When the pipeline heard of it, in monotonic milliseconds. */
  notedAtMs: number
  /** Pending while the pipeline makes what they wait for. */
  first: Promise<unknown> | null
}

export interface PipelineClientDeps {
  readonly start: PipelineStart
  readonly setup: PipelineSetup
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
}

/** How often the pipeline hears that somebody reads. */
const READER_NOTED_MS = 5_000
/** How long the first reader waits for an evaluation; of the largest pools it takes most of this. */
const FIRST_READ_MS_MAX = 1_000
/** How long anybody waits for what only the pipeline knows. Less than an answer may take. */
const ANSWER_MS_MAX = 25_000
const PING_EVERY_MS = 5_000
/** A thread hangs that leaves a ping unanswered for so long; it is ended, at most one `PING_EVERY_MS` later than that after it stopped. */
const SILENT_MS_MAX = 30_000
const RESTART_MS_MIN = 250
const RESTART_MS_MAX = 30_000
/** One that has run for so long has not failed at its start. */
const PROVEN_MS = 60_000
/** What was received is stored in this time, and the store closed. */
const STOP_MS_MAX = 9_000

export function createPipelineClient({
  start,
  setup,
  metrics,
  clock,
  log,
}: PipelineClientDeps): PipelineClient {
  const createdAtMs = clock.monotonicMs()
  let shown: Payloads | null = null
  let ifStalled: IfStalled | null = null
  let readiness: Readiness = 'pending'
  const readers = new Map<string, Reader>()
  let restartMs = RESTART_MS_MIN
  let sampledAt: number | null = null
  /** Between the loss of one pipeline and the start of the next. */
  let isLost = false
  let isStalled = false
  let isWatching = false
  let stopped: Promise<boolean> | null = null
  const hanging = new Set<Thread<PipelineApi>>()
  let cancelPing = () => {}
  let cancelRestart = () => {}

  let noteFirst = () => {}
  /** Resolves with the first publication, or when the pipeline is lost before. */
  const first = new Promise<void>((resolve) => {
    noteFirst = resolve
  })

  const publish = (next: Publication) => {
    // A pipeline that has only just begun again knows less than what is still shown.
    if (isStalled && next.sampledAt === null && sampledAt !== null) return
    if (isStalled) log.info('pipeline publishes again')
    isStalled = false
    shown = shown === null ? (next.payloads as Payloads) : { ...shown, ...next.payloads }
    ifStalled = next.ifStalled ?? ifStalled
    readiness = next.readiness
    sampledAt = next.sampledAt
    metrics.onGauges(next.gauges, next.sampledAt)
    noteFirst()
  }

  /** Says in what is served that nothing newer comes. */
  const showStalled = () => {
    if (isStalled || shown === null || ifStalled === null) return
    isStalled = true
    const { health, inStatus, gauges } = ifStalled
    shown = { ...shown, health, status: replacedIn(shown.status, inStatus.before, inStatus.after) }
    metrics.onGauges(gauges)
  }

  const launch = (): Thread<PipelineApi> => {
    isLost = false
    const launched = start(
      setup,
      {
        publish: (publication) => {
          if (launched === thread && !isLost) publish(publication)
        },
        log: (level, event, fields, kind) => log[level](event, fields, kind),
        ...metrics.collectorReport,
        onManualRefresh: metrics.onManualRefresh,
        onUsage: metrics.onUsage,
        onGap: metrics.onGap,
        onMissing: metrics.onMissing,
        onBacklog: metrics.onBacklog,
      },
      (error) => replace(launched, 'ended', error),
    )
    watch(launched, clock.monotonicMs())
    return launched
  }

  /** Looks now and then whether the thread still answers. */
  const watch = (watched: Thread<PipelineApi>, sinceMs: number) => {
    cancelPing = clock.schedule(PING_EVERY_MS, async () => {
      const answer = watched.call('ping', []).catch(() => undefined)
      const isAlive = await endsWithin(clock, SILENT_MS_MAX, answer)
      if (watched !== thread || isLost || stopped !== null) return
      if (!isAlive) return replace(watched, 'hangs')
      if (clock.monotonicMs() - sinceMs >= PROVEN_MS) restartMs = RESTART_MS_MIN
      watch(watched, sinceMs)
    })
  }

  const replace = (
    lost: Thread<PipelineApi>,
    reason: 'ended' | 'hangs',
    error: string | null = null,
  ) => {
    if (lost !== thread || isLost || stopped !== null) return
    isLost = true
    log.error(
      'pipeline lost, starting another',
      { reason, error, inSeconds: restartMs / 1000 },
      'news',
    )
    cancelPing()
    showStalled()
    noteFirst()
    if (reason === 'hangs') {
      hanging.add(lost)
      void lost.terminate().then(() => hanging.delete(lost))
    }
    cancelRestart = clock.schedule(restartMs, () => {
      thread = launch()
      thread.tell('prepare', [])
      if (isWatching) thread.tell('start', [])
      // It has not heard of anybody.
      readers.clear()
    })
    restartMs = Math.min(RESTART_MS_MAX, restartMs * 2)
  }

  /** What the reader has to wait for; null for nothing. */
  const noteReader = (reading: Reading | null): Promise<unknown> | null => {
    const key = reading === null ? '' : `${reading.payload} ${reading.compression}`
    const nowMs = clock.monotonicMs()
    const known = readers.get(key)
    const silentMs = nowMs - (known?.notedAtMs ?? Number.NEGATIVE_INFINITY)
    if (known !== undefined && silentMs < READER_NOTED_MS) return known.first
    if (known !== undefined && silentMs < READER_MS) {
      known.notedAtMs = nowMs
      thread.tell('read', [reading])
      return known.first
    }
    const read = thread.call('read', [reading]).catch(() => undefined)
    const made: Promise<unknown> =
      shown === null ? first : endsWithin(clock, FIRST_READ_MS_MAX, read)
    const reader: Reader = { notedAtMs: nowMs, first: null }
    reader.first = made.finally(() => {
      reader.first = null
    })
    readers.set(key, reader)
    return reader.first
  }

  /** Gives up before the client does: a pipeline that hangs is noticed only later. */
  const answered = async <Value>(call: Promise<Value>): Promise<Value> => {
    if (!(await endsWithin(clock, ANSWER_MS_MAX, call))) throw new ChannelError('crashed')
    return await call
  }

  const latest = ({ payload }: Reading): ReadyAnswer => {
    if (shown === null) throw new ChannelError('crashed')
    return shown[payload]
  }

  let thread = launch()

  return {
    prepare() {
      thread.tell('prepare', [])
      return first
    },
    start() {
      isWatching = true
      thread.tell('start', [])
    },
    payload(reading) {
      const first = noteReader(reading)
      return first === null ? latest(reading) : first.then(() => latest(reading))
    },
    async gaugesRead() {
      await noteReader(null)
    },
    async chart(request) {
      try {
        void noteReader(null)
        return await answered(thread.call('chart', [request]))
      } catch (error) {
        throw error instanceof ChannelError &&
          (error.code === 'reader_busy' || error.code === 'crashed')
          ? new ReaderBusy(error.message)
          : error
      }
    },
    requestRefresh: (scope) => answered(thread.call('requestRefresh', [scope])),
    refreshAvailable: () => answered(thread.call('refreshAvailable', [])),
    isManagementKey: (text) => answered(thread.call('isManagementKey', [text])),
    isReady: () => isReady(readiness, (clock.monotonicMs() - createdAtMs) / 1000),
    reload: () => thread.tell('reload', []),
    stop() {
      cancelPing()
      cancelRestart()
      stopped ??= thread
        .end({ clock, closeMs: STOP_MS_MAX }, thread.call('stop', []))
        .then((ended) => ended && hanging.size === 0)
      return stopped
    },
  }
}
