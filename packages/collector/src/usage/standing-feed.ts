import { type EpochMs, epochMs } from '@svc/core'
import type { Clock, ReceiptTime, Redacted, UsageFeedState } from '@svc/core/service'
import { laterOf, type UsageGap } from '@svc/core/usage'
import { createSingleFlight } from '../polling/polled-source.ts'
import { isHeld, type ManagementGate } from '../proxy/management-access.ts'
import { withinDeadline } from '../proxy/request.ts'
import type { RespConnection } from '../proxy/resp-connection.ts'
import { UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'
import type { RespReply } from '../wire/resp.ts'
import type { createQueuePoll } from './queue-poll.ts'
import { parsed } from './usage-decoder.ts'
import type { UsageWay } from './usage-sink.ts'

export interface StandingPlan extends UsageWay {
  readonly gate: ManagementGate
  readonly clock: Clock
  readonly onPop: () => void
  /** Called when the proxy says that its accounts have changed. */
  readonly onRefresh: () => void
  /** Called with the arrival of the oldest record that waits for the store once it waits for long, and with null once all are stored. */
  readonly onWait: (since: EpochMs | null) => void
  /** Called when a connection has ended by itself. */
  readonly onEnd: (wasSubscribed: boolean) => void
}

/** Failure of a connection that shows a proxy without RESP at this address. */
export class WithoutResp extends UpstreamError {
  constructor({ code, message }: UpstreamError) {
    super(code, message)
  }
}

/** The connections that stand. A subscriber's takes no other command, so the queue is popped over one of its own. */
interface Line {
  readonly key: Redacted
  readonly popper: RespConnection
  readonly subscriber: RespConnection | null
}

/** See docs/limits.md#calls-to-the-proxy. */
const LPOP_MS = 500
const LPOP_RECORDS = 500
/** Records of a transaction. */
const COMMIT_RECORDS_MAX = 2_000
/** Bytes in memory above which reading from the socket stops; the proxy and the sockets hold some thousand records more. */
const HELD_BYTES_MAX = 32 * 1024 * 1024
/** Longest wait for an answer, or any message in its place. */
const SILENCE_SECONDS = 5
/** Time for which health names a dropped subscription. */
const DROPPED_MS = 10 * 60_000
/** Shortest wait for the store that is reported. */
const LONG_WAIT_MS = 1_000
const NO_RECORDS = Buffer.from('[]')
const REFRESH = '{"refresh":true}'

/** Takes records over standing connections, by popping or as a subscriber. What one read brings is stored at once. */
export function createStandingFeed(plan: StandingPlan, queue: ReturnType<typeof createQueuePoll>) {
  const { client, gate, sink, clock } = plan
  let line: Line | null = null
  const held: { readonly bytes: Uint8Array; readonly at: EpochMs }[] = []
  let heldBytes = 0
  let isWaitTold = false
  let cancelWait = () => {}
  /** Time up to which all records are stored or in memory. It stays until the queue is drained, for what waits there is older than what comes live. */
  let readTo = epochMs(0)
  let isDrained = false
  /** Begin of a loss, which ends with the first record that waited; undefined until the store was asked about the last reader. */
  let loss: (Pick<UsageGap, 'from' | 'reason'> & { readonly isWhole?: boolean }) | null | undefined
  let standsSince = epochMs(0)
  let droppedAtMs = Number.NEGATIVE_INFINITY
  let popping: Promise<void> = Promise.resolve()
  let cancelPop = () => {}

  const limits = (stop = new AbortController().signal) => ({ seconds: SILENCE_SECONDS, stop })
  const at = (usageAt: EpochMs): ReceiptTime => ({ receivedAt: clock.now(), usageAt })
  const lose = (reason: UsageGap['reason']) => {
    const from = sink.position().lastPollAt
    if (from !== null) loss ??= { from, reason }
  }
  const isFull = () => heldBytes > HELD_BYTES_MAX
  const tellWait = (since: EpochMs | null) => {
    isWaitTold = since !== null
    plan.onWait(since)
  }
  const watchOldest = () => {
    cancelWait()
    const [oldest] = held
    if (oldest !== undefined) cancelWait = clock.schedule(LONG_WAIT_MS, () => tellWait(oldest.at))
    else if (isWaitTold) tellWait(null)
  }
  const hold = (records: readonly Uint8Array[]) => {
    const wasEmpty = held.length === 0
    const at = clock.now()
    for (const bytes of records) {
      held.push({ bytes, at })
      heldBytes += bytes.length
    }
    if (wasEmpty) watchOldest()
    if (isFull()) line?.subscriber?.pause()
  }

  /** Stores the first records in memory in one transaction. Throws SourceError, and they stay in memory. */
  const storeFirst = async () => {
    const records = held.slice(0, COMMIT_RECORDS_MAX).map(({ bytes }) => bytes)
    const from = sink.position().lastPollAt ?? readTo
    const usageAt = records.length === held.length ? readTo : from
    const store = (some: readonly Uint8Array[]) => sink.storeQueue(listOf(some), at(usageAt))
    const answer = await store(records)
    const ingested = answer ?? (await store(records.filter((one) => parsed(one) !== undefined)))
    held.splice(0, records.length)
    heldBytes -= records.reduce((sum, { length }) => sum + length, 0)
    watchOldest()
    if (!isFull()) line?.subscriber?.resume()
    if (ingested !== null) plan.onUsage(ingested, false)
    if (answer === null) await sink.recordGap({ from, to: sink.now(), reason: 'batch_lost' })
  }
  const storing = createSingleFlight(async () => {
    while (held.length > 0) await storeFirst()
  })
  /** Stores what is in memory, and what comes meanwhile. */
  const commit = async () => {
    // A run that was about to end has not seen what came last.
    while (held.length > 0) await storing.run()
  }

  const receive = (replies: readonly RespReply[]) => {
    const bodies = replies.flatMap((reply) => {
      const [kind = null, , body] = listIn(reply)
      return body instanceof Uint8Array && textOf(kind) === 'message' ? [body] : []
    })
    if (bodies.some((body) => body.length === REFRESH.length && textOf(body) === REFRESH))
      plan.onRefresh()
    hold(bodies)
    if (isDrained) readTo = sink.now()
    void commit().catch(() => undefined)
  }

  /** Sends a command when the gate allows it, and waits for its answer even if the program stops. Throws UpstreamError, WithoutResp where it is unknown. */
  const ask = (connection: RespConnection, ...words: readonly string[]) =>
    gate
      .call(() => connection.ask(words, limits()))
      .catch((error: unknown) => {
        const failure = upstreamErrorOf(error)
        const isUnknown = failure.code === 'unsupported' && failure.httpStatus !== null
        throw isUnknown ? new WithoutResp(failure) : failure
      })
  let hasWorked = false
  const connect = async (stop: AbortSignal) => {
    try {
      const connected = await gate.call(async (key) => {
        const call = { key, bytesMax: 0, ...limits(stop) }
        return { key, connection: await client.resp(call) }
      })
      hasWorked = true
      return connected
    } catch (error) {
      const failure = upstreamErrorOf(error)
      throw stop.aborted || !lacksResp(failure, hasWorked) ? failure : new WithoutResp(failure)
    }
  }

  /** Stores what waits in the queue, beside what a subscription brings meanwhile. Throws UpstreamError, and SourceError. */
  const drain = async ({ popper }: Line, stop: AbortSignal) => {
    for (let count = LPOP_RECORDS; count >= LPOP_RECORDS; ) {
      stop.throwIfAborted()
      const askedAt = sink.now()
      const reply = await ask(popper, 'LPOP', 'usage', String(LPOP_RECORDS)).catch(
        (error: unknown) => {
          if (!(error instanceof WithoutResp || isHeld(upstreamErrorOf(error)))) lose('batch_lost')
          throw error
        },
      )
      const records = listIn(reply).filter((one) => one instanceof Uint8Array)
      count = records.length
      hold(records)
      await tellLoss(records[0])
      isDrained = count < LPOP_RECORDS
      if (isDrained) readTo = laterOf(readTo, askedAt) ?? askedAt
      await commit()
    }
  }
  /** Drains over HTTP, for a proxy that refuses to pop by RESP. */
  const drainByHttp = async (stop: AbortSignal) => {
    await tellLoss()
    do await queue.poll(stop)
    while (queue.moreWait())
    isDrained = true
    readTo = sink.position().lastPollAt ?? readTo
  }

  const askStore = async () => {
    const from = sink.position().lastPollAt
    const since = await sink.standingSince()
    // A reader that died while it drained the queue lost what came live too, and the queue begins earlier.
    loss =
      since === null || from === null
        ? null
        : { from, reason: 'subscriber_lost', isWhole: from < since }
  }
  /** Records the gap after a loss: from what was stored last to the end of the first record that waited. */
  const tellLoss = async (first?: Uint8Array) => {
    if (loss == null) return
    const { from, reason, isWhole = false } = loss
    const to = first === undefined || isWhole ? standsSince : endOfRecord(first, standsSince)
    if (to > from) await sink.recordGap({ from, to, reason })
    loss = null
  }

  const stand = async (isSubscriber: boolean, stop: AbortSignal): Promise<Line> => {
    const { key, connection: popper } = await connect(stop)
    const close = (error: unknown) => {
      popper.close()
      throw error
    }
    const subscriber = isSubscriber ? (await connect(stop).catch(close)).connection : null
    const next = { key, popper, subscriber }
    standsSince = sink.now()
    readTo = sink.position().lastPollAt ?? standsSince
    isDrained = false
    line = next
    for (const connection of [popper, subscriber])
      void connection?.ended.then((failure) => ended(next, connection, failure))
    await sink.stand(standsSince)
    if (!isWaitTold) tellWait(null)
    subscriber?.follow(receive)
    if (subscriber !== null) await ask(subscriber, 'SUBSCRIBE', 'usage')
    return next
  }
  const ended = (mine: Line, which: RespConnection, failure: UpstreamError | null) => {
    const { subscriber } = mine
    // What a subscription has brought is read to its end, though that of the popper may be seen first.
    if (line !== mine || (subscriber !== null && which !== subscriber)) return
    if (subscriber !== null && isFull()) droppedAtMs = clock.monotonicMs()
    if (subscriber !== null && (isFull() || failure !== null))
      lose(isFull() ? 'subscriber_lost' : 'network')
    close(mine)
    plan.onEnd(subscriber !== null)
  }
  const close = ({ popper, subscriber }: Line) => {
    line = null
    cancelPop()
    popper.close()
    subscriber?.close()
  }

  const popAgain = (mine: Line, stop: AbortSignal) => {
    const isFree = () => held.length === 0 && sink.refusal() === null && gate.heldForMs() === 0
    cancelPop = clock.schedule(LPOP_MS, () => {
      popping = (isFree() ? drain(mine, stop) : Promise.resolve()).catch(mine.popper.close)
      void popping.then(() => line === mine && popAgain(mine, stop))
    })
  }

  /** Ends the connections so that nothing is lost: reads to the end and stores it. */
  const leave = async () => {
    const left = line
    line = null
    cancelPop()
    if (left === null) return commit()
    await popping
    const { subscriber } = left
    if (subscriber !== null) {
      subscriber.resume()
      void subscriber.ask(['UNSUBSCRIBE', 'usage'], limits()).catch(subscriber.close)
      const failure = await withinDeadline(clock, limits(), () => subscriber.ended).catch(
        upstreamErrorOf,
      )
      if (failure !== null) lose('network')
    }
    close(left)
    await commit()
    // The next connection records the gap of a loss, or the next start does. A monitor that took over has noted its own connection.
    if (loss == null) await sink.stand(null).catch(() => undefined)
  }

  return {
    /** Connects unless connections stand, checks them and stores how far was read. Throws UpstreamError, WithoutResp among them, and SourceError. */
    async poll(way: 'lpop' | 'subscribe', stop: AbortSignal): Promise<UsageFeedState> {
      await commit()
      const isOther = line !== null && (line.subscriber !== null) !== (way === 'subscribe')
      if (line !== null && (isOther || gate.isKey(line.key.reveal()) === false)) await leave()
      if (loss === undefined) await askStore()
      const retentionSeconds = await queue.begin(stop)
      plan.onPop()
      const isNew = line === null
      try {
        const current = line ?? (await stand(way === 'subscribe', stop))
        if (!isNew) await current.subscriber?.ask(['PING'], limits(stop))
        await drain(current, stop).catch((error: unknown) => {
          if (!(error instanceof WithoutResp) || way === 'lpop') throw error
          return drainByHttp(stop)
        })
        if (isNew && way === 'lpop') popAgain(current, stop)
      } catch (error) {
        if (isNew || !isHeld(upstreamErrorOf(error))) await leave()
        throw error
      }
      await commit()
      const ingested = await sink.storeQueue(NO_RECORDS, at(readTo))
      queue.noteRead()
      if (ingested !== null) plan.onUsage(ingested, true)
      const isDropped = clock.monotonicMs() - droppedAtMs < DROPPED_MS
      const notice = isDropped ? { notice: 'dropped' as const } : {}
      return { kind: 'queue', retentionSeconds, counters: null, way, ...notice }
    },
    /** Stores what is in memory and records the gap of a reader that died, before the queue is read in another way. */
    async settle() {
      await leave()
      const isNoted = loss !== null
      if (loss === undefined) await askStore()
      standsSince = sink.now()
      await tellLoss()
      if (isNoted) await sink.stand(null)
    },
    leave,
    hasPending: () => line !== null || held.length > 0,
    /** Notes that another monitor has taken records since. */
    takenOver() {
      loss = undefined
    },
  }
}

/** Whether a failed connection shows that the proxy speaks no RESP here. One that did before may only be restarting. */
function lacksResp(failure: UpstreamError, hasWorked: boolean): boolean {
  const { code, wasSent, httpStatus } = failure
  if (code === 'unsupported' || code === 'tls') return true
  return !hasWorked && wasSent && httpStatus === null && !isHeld(failure)
}

function listIn(reply: RespReply): readonly RespReply[] {
  return Array.isArray(reply) ? (reply as readonly RespReply[]) : []
}

function textOf(reply: RespReply): string {
  return reply instanceof Uint8Array ? Buffer.from(reply).toString() : String(reply)
}

/** The records as one JSON list. */
function listOf(records: readonly Uint8Array[]): Uint8Array {
  return Buffer.from(`[${records.map(textOf).join()}]`)
}

/** The end of a recorded request, at most `latest`; `latest` if it cannot be read. */
function endOfRecord(record: Uint8Array, latest: EpochMs): EpochMs {
  const { timestamp, latency_ms: latencyMs } = Object(parsed(record))
  const at = Date.parse(timestamp) + (Number(latencyMs) || 0)
  return Number.isFinite(at) ? epochMs(Math.min(at, latest)) : latest
}
