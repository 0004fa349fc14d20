import { type EpochMs, epochMs } from '@svc/core'
import type { Clock, ReceiptTime, Redacted, UsageFeedState } from '@svc/core/service'
import { standingMark, type UsageGap } from '@svc/core/usage'
import { createSingleFlight } from '../polling/polled-source.ts'
import { isHeld, type ManagementGate } from '../proxy/management-access.ts'
import { type CallLimits, withinDeadline } from '../proxy/request.ts'
import type { RespConnection } from '../proxy/resp-connection.ts'
import { UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'
import type { RespReply } from '../wire/resp.ts'
import type { createQueuePoll } from './queue-poll.ts'
import { storeInSink, type UsageSink, type UsageWay } from './usage-sink.ts'

/** Connects to the proxy by RESP and shows the key; see `connectResp`. */
export type ConnectResp = (key: Redacted, limits: CallLimits) => Promise<RespConnection>

interface StandingPlan extends Pick<UsageWay, 'onUsage'> {
  readonly gate: ManagementGate
  readonly sink: StandingSink
  readonly clock: Clock
  readonly connect: ConnectResp
  readonly onPop: () => void
  /** Called when the proxy says that its accounts have changed. */
  readonly onRefresh: () => void
  /** Called when the connection has ended by itself. */
  readonly onEnd: () => void
}

/** Failure of a connection that shows a proxy without RESP at this address. */
export class WithoutResp extends UpstreamError {
  constructor({ code, message }: UpstreamError) {
    super(code, message)
  }
}

/** Records of one read, and its time. */
interface HeldRecords {
  readonly records: readonly Uint8Array[]
  readonly time: ReceiptTime
}

interface Line {
  readonly way: 'lpop' | 'subscribe'
  readonly key: Redacted
  readonly connection: RespConnection
  readonly stopping: AbortController
}

/** See docs/limits.md#calls-to-the-proxy. */
const LPOP_MS = 500
const LPOP_RECORDS = 500
/** Records of a transaction. */
const COMMIT_RECORDS_MAX = 2_000
/** Bytes in memory above which reading from the socket stops; the proxy and the sockets hold some thousand records more. */
const HELD_BYTES_MAX = 32 * 1024 * 1024
/** Longest wait for an answer, or any frame before it. */
const SILENCE_SECONDS = 5
const LEAVE_SECONDS = 2
/** Time for which a dropped subscription is told. */
const DROPPED_MS = 10 * 60_000
const NO_RECORDS = Buffer.from('[]')
const CONTROL_BYTES_MAX = 64

/** Takes records over a standing connection, by popping or as a subscriber. What one read brings is stored at once. */
export function createStandingFeed(plan: StandingPlan, queue: ReturnType<typeof createQueuePoll>) {
  const { gate, sink, clock } = plan
  let line: Line | null = null
  let hasWorked = false
  let held: readonly HeldRecords[] = []
  let heldBytes = 0
  /** False from the subscription on until the gap before it is stored. */
  let isSettled = true
  /** Time up to which the queue is drained; what is live moves the position only afterwards. Null once all is drained. */
  let drainedTo: EpochMs | null = null
  /** An end after which records may be missing; undefined until the store was asked about the last reader. */
  let unended:
    | (Pick<UsageGap, 'from' | 'reason'> & { readonly isWhole?: boolean })
    | null
    | undefined
  let droppedAtMs = Number.NEGATIVE_INFINITY
  let frames: (() => void)[] = []
  let pongs = 0

  const time = (): ReceiptTime => ({ receivedAt: clock.now(), usageAt: sink.now() })
  const endAbruptly = (reason: UsageGap['reason']) => {
    const from = sink.position().lastPollAt
    if (from !== null) unended ??= { from, reason }
  }
  const addHeld = (bytes: number) => {
    heldBytes += bytes
    if (heldBytes > HELD_BYTES_MAX) line?.connection.pause()
    else line?.connection.resume()
  }
  const hold = (records: readonly Uint8Array[], at: ReceiptTime) => {
    if (records.length > 0) held = [...held, { records, time: at }]
    addHeld(bytesOf(records))
  }

  /** Stores the first of the reads in memory in one transaction. Throws SourceError, and they stay in memory. */
  const storeReads = async (reads: readonly HeldRecords[]) => {
    const last = reads.at(-1)?.time ?? time()
    const at = drainedTo === null ? last : { ...last, usageAt: drainedTo }
    const records = reads.flatMap((read) => read.records)
    const store = (some: readonly Uint8Array[]) =>
      storeInSink(() => sink.storeQueue([listOf(some)], at))
    const from = sink.position().lastPollAt ?? at.usageAt
    const answer = await store(records)
    const ingested = answer ?? (await store(records.filter(isJson)))
    const stored = new Set(reads)
    held = held.filter((read) => !stored.has(read))
    addHeld(-bytesOf(records))
    if (ingested !== null) plan.onUsage(ingested, false)
    const gap = { from, to: at.usageAt, reason: 'batch_lost' } as const
    if (answer === null) await storeInSink(() => sink.recordGap(gap))
  }
  const commits = createSingleFlight(async () => {
    while (isSettled && held.length > 0) await storeReads(readsOfOneCommit(held))
  })
  /** Stores what is in memory, and what comes meanwhile. */
  const commit = async () => {
    // A run that was about to end has not seen what came last.
    while (isSettled && held.length > 0) await commits.run()
  }

  const receive = (replies: readonly RespReply[]) => {
    const records: Uint8Array[] = []
    for (const reply of replies) {
      const [kind = null, , body] = listIn(reply)
      if (textOf(kind) === 'pong') pongs += 1
      if (textOf(kind) !== 'message' || !(body instanceof Uint8Array)) continue
      const control = body.length < CONTROL_BYTES_MAX ? textOf(body) : ''
      if (control === '{"refresh":true}') plan.onRefresh()
      else if (control !== '{"support_refresh":true}') records.push(body)
    }
    hold(records, time())
    commit().catch(() => undefined)
    for (const heard of frames) heard()
    frames = []
  }
  /** Waits for the next frame of any kind. */
  const frame = (connection: RespConnection, stop: AbortSignal) =>
    withinDeadline(clock, { seconds: SILENCE_SECONDS, stop }, () =>
      Promise.race([
        new Promise<void>((resolve) => frames.push(resolve)),
        connection.ended.then((failure) => {
          throw failure ?? new UpstreamError('unreachable', 'the connection was closed')
        }),
      ]),
    )

  const connect = async (stop: AbortSignal) => {
    try {
      return await gate.call(async (key) => {
        const connection = await plan.connect(key, { seconds: SILENCE_SECONDS, stop })
        hasWorked = true
        return { key, connection }
      })
    } catch (error) {
      const failure = upstreamErrorOf(error)
      throw stop.aborted || !lacksResp(failure, hasWorked) ? failure : new WithoutResp(failure)
    }
  }

  /** Pops once. Throws UpstreamError; the batch may be lost if the command was sent. */
  const pop = async (connection: RespConnection, stop: AbortSignal) => {
    const words = ['LPOP', 'usage', String(LPOP_RECORDS)]
    const limits = { seconds: SILENCE_SECONDS, stop }
    const reply = await gate
      .call(() => connection.ask(words, limits))
      .catch((error: unknown) => {
        const failure = upstreamErrorOf(error)
        if (failure.httpStatus !== null && failure.code === 'unsupported')
          throw new WithoutResp(failure)
        if (!isHeld(failure)) endAbruptly('batch_lost')
        throw failure
      })
    return listIn(reply).filter((one) => one instanceof Uint8Array)
  }
  /** Pops until the queue is empty. */
  const popAll = async (connection: RespConnection, stop: AbortSignal) => {
    for (let count = LPOP_RECORDS; count >= LPOP_RECORDS; ) {
      const at = time()
      const records = await pop(connection, stop)
      count = records.length
      hold(records, at)
      await commit()
    }
  }

  /** Notes the gap after an end: from what was stored last to the first record that waited. */
  const settle = async (asOf: ReceiptTime, first?: Uint8Array) => {
    if (unended === undefined) await askStore()
    if (unended != null) {
      const { from, reason, isWhole = false } = unended
      const to = first === undefined || isWhole ? asOf.usageAt : endOfRecord(first, asOf.usageAt)
      if (to > from) await storeInSink(() => sink.recordGap({ from, to, reason }))
    }
    unended = null
  }
  const askStore = async () => {
    unended = null
    const since = await storeInSink(sink.standingSince)
    if (since === null) return
    const from = sink.position().lastPollAt
    // A reader that died while it drained the queue lost what came over its connection too, and the queue begins earlier.
    if (from !== null) unended = { from, reason: 'subscriber_lost', isWhole: from < since }
  }
  /** Stores what waited in the queue, beside what a subscription brings meanwhile. */
  const drain = async (connection: RespConnection, stop: AbortSignal) => {
    const asOf = time()
    for (let count = LPOP_RECORDS; count >= LPOP_RECORDS; ) {
      const records = await pop(connection, stop)
      count = records.length
      hold(records, asOf)
      if (!isSettled) await settle(asOf, records[0])
      drainedTo = sink.position().lastPollAt ?? asOf.usageAt
      isSettled = true
      const last = records.at(-1)
      if (last === undefined) continue
      const to = endOfRecord(last, asOf.usageAt)
      await commit()
      drainedTo = to
    }
  }
  const drainByHttp = async (stop: AbortSignal) => {
    await settle(time())
    do await queue.poll(stop)
    while (queue.moreWait())
  }

  const stand = async (way: Line['way'], stop: AbortSignal): Promise<Line> => {
    if (unended === undefined) await askStore()
    await queue.begin(stop)
    const next: Line = { way, ...(await connect(stop)), stopping: new AbortController() }
    const { connection } = next
    isSettled = false
    try {
      line = next
      await storeInSink(() => sink.stand(sink.now()))
      if (way === 'lpop') await drain(connection, stop)
      else {
        const heard = frame(connection, stop)
        connection.follow(['SUBSCRIBE', 'usage'], receive)
        await heard
        // A subscribed connection takes no other command.
        const popping = await connect(stop)
        await drain(popping.connection, stop)
          .catch((error: unknown) => {
            if (!(error instanceof WithoutResp)) throw error
            return drainByHttp(stop)
          })
          .finally(popping.connection.close)
      }
      queue.noteRead()
    } catch (error) {
      line = null
      connection.close()
      endAbruptly('batch_lost')
      throw error
    } finally {
      isSettled = true
      drainedTo = null
    }
    void connection.ended.then(() => ended(next))
    if (way === 'lpop') popAgain(next)
    return next
  }
  const ended = (left: Line) => {
    left.stopping.abort()
    if (line !== left) return
    line = null
    // A popper has had all answers but the one it waits for.
    if (left.way === 'subscribe') endAbruptly('network')
    if (left.way === 'subscribe' && heldBytes > HELD_BYTES_MAX) droppedAtMs = clock.monotonicMs()
    plan.onEnd()
  }
  const popAgain = ({ connection, stopping: { signal } }: Line) => {
    const isFree = () => held.length === 0 && sink.refusal() === null && gate.heldForMs() === 0
    const run = async () => {
      if (!signal.aborted && isFree()) await popAll(connection, signal)
      if (!signal.aborted) schedule()
    }
    const schedule = () => clock.schedule(LPOP_MS, () => void run().catch(connection.close))
    schedule()
  }

  /** Ends the connection so that nothing is lost: reads to its end and stores it. */
  const leave = async () => {
    const left = line
    line = null
    if (left === null) return
    left.stopping.abort()
    if (left.way === 'subscribe') {
      left.connection.resume()
      left.connection.send(['UNSUBSCRIBE', 'usage'])
      const limits = { seconds: LEAVE_SECONDS, stop: new AbortController().signal }
      await withinDeadline(clock, limits, () => left.connection.ended).catch(() => undefined)
    }
    left.connection.close()
    await commit()
    // Whoever took over has a mark of its own.
    await sink.unstand().catch(() => undefined)
  }

  return {
    /** Connects unless a connection stands, checks it and stores how far it was read. Throws UpstreamError, WithoutResp among them, and SourceError. */
    async poll(way: Line['way'], stop: AbortSignal): Promise<UsageFeedState> {
      await commit()
      if (line !== null && (line.way !== way || gate.isKey(line.key.reveal()) === false))
        await leave()
      const { connection } = line ?? (await stand(way, stop))
      const retentionSeconds = await queue.begin(stop)
      plan.onPop()
      const asOf = time()
      try {
        if (way === 'lpop') await popAll(connection, stop)
        else {
          const before = pongs
          connection.send(['PING'])
          while (pongs === before) await frame(connection, stop)
        }
      } catch (error) {
        if (!isHeld(upstreamErrorOf(error))) connection.close()
        throw error
      }
      await commit()
      const ingested = await storeInSink(() => sink.storeQueue([NO_RECORDS], asOf))
      queue.noteRead()
      if (ingested !== null) plan.onUsage(ingested, true)
      const isDropped = clock.monotonicMs() - droppedAtMs < DROPPED_MS
      const notice = isDropped ? { notice: 'dropped' as const } : {}
      return { kind: 'queue', retentionSeconds, counters: null, way, ...notice }
    },
    /** Stores what is in memory and notes the gap of a reader that died, before the queue is read in another way. */
    async settle() {
      await leave()
      await commit()
      await settle(time())
    },
    leave,
    hasPending: () => line !== null || held.length > 0,
    /** Notes that another monitor has taken records since. */
    takenOver() {
      unended = undefined
    },
  }
}

/** A sink whose mark stays while a connection stands, during which records may come at any moment. */
export interface StandingSink extends UsageSink {
  stand(since: EpochMs): Promise<void>
  unstand(): Promise<void>
}

export function standingSinkOf(sink: UsageSink): StandingSink {
  let mark: EpochMs | null = null
  return {
    ...sink,
    markPop: (at) => (mark === null ? sink.markPop(at) : Promise.resolve()),
    clearPop: () => (mark === null ? sink.clearPop() : Promise.resolve()),
    async recordGap(gap) {
      await sink.recordGap(gap)
      if (mark !== null) await sink.markPop(mark)
    },
    stand(since) {
      mark = standingMark(since)
      return sink.markPop(mark)
    },
    unstand() {
      mark = null
      return sink.clearPop()
    },
  }
}

/** Whether a failed connection shows that the proxy speaks no RESP here. One that did before may only be restarting. */
function lacksResp(failure: UpstreamError, hasWorked: boolean): boolean {
  const { code, wasSent, httpStatus } = failure
  if (code === 'unsupported' || code === 'tls') return true
  return !hasWorked && wasSent && httpStatus === null && !isHeld(failure)
}

function readsOfOneCommit(held: readonly HeldRecords[]): readonly HeldRecords[] {
  let count = 0
  const end = held.findIndex(({ records }) => {
    count += records.length
    return count > COMMIT_RECORDS_MAX
  })
  return end < 0 ? held : held.slice(0, Math.max(1, end))
}

function listIn(reply: RespReply): readonly RespReply[] {
  return Array.isArray(reply) ? (reply as readonly RespReply[]) : []
}

function textOf(reply: RespReply): string {
  return reply instanceof Uint8Array ? new TextDecoder().decode(reply) : String(reply)
}

function bytesOf(records: readonly Uint8Array[]): number {
  return records.reduce((sum, { length }) => sum + length, 0)
}

function listOf(records: readonly Uint8Array[]): Uint8Array {
  return Buffer.from(`[${records.map(textOf).join()}]`)
}

function isJson(record: Uint8Array): boolean {
  return parsed(record) !== undefined
}

function parsed(record: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(record))
  } catch {
    return undefined
  }
}

/** The end of a recorded request, at most `latest`; `latest` if it cannot be read. */
function endOfRecord(record: Uint8Array, latest: EpochMs): EpochMs {
  const { timestamp, latency_ms: latencyMs } = Object(parsed(record))
  const at = Date.parse(timestamp) + (Number(latencyMs) || 0)
  return Number.isFinite(at) ? epochMs(Math.min(at, latest)) : latest
}
