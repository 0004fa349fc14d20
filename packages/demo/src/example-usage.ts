import {
  DAY_MS,
  type EpochMs,
  epochMs,
  HOUR_MS,
  MINUTE_MS,
  type ProviderId,
  plusMs,
  type RequestSlot,
} from '@svc/core'
import type { PricesSeen } from '@svc/core/money'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import {
  addTo,
  type CauseCount,
  countedPart,
  daysOf,
  emptySum,
  type FailureClass,
  isAsked,
  LIVE_WINDOW_SECONDS,
  previousSpanOf,
  rankFailures,
  recentUsageOf,
  seriesOf,
  spanAskedBy,
  sumOfUsage,
  type UsageCounts,
  type UsageMember,
  type UsageReader,
  type UsageRecord,
  type UsageRequest,
  type UsageSum,
  usageSpanOf,
} from '@svc/core/usage'
import { requestSlotOf, SLOT_MS, scatter } from './example-account.ts'
import { SAMPLE_POOL } from './example-pool.ts'
import { exampleCostOf, examplePricesSeen } from './example-prices.ts'
import { isUnderMaintenance, maintenanceBetween, maintenanceMsBetween } from './moving-windows.ts'
import { windowPhaseMs } from './sampling.ts'

const HISTORY_DAYS = 30
const FIVE_MINUTES_MS = 5 * MINUTE_MS

interface Client extends UsageMember {
  readonly apiName: string
  /** Share of all requests, in percent. */
  readonly share: number
}

/** Clients of the sample usage. Two keys share a label, and one has no label. */
const CLIENTS: readonly [Client, ...Client[]] = [
  { id: 'Frontend team', label: 'Frontend team', apiName: 'demo-key-frontend', share: 34 },
  { id: 'CI runners', label: 'CI runners', apiName: 'demo-key-ci-1', share: 22 },
  { id: 'CI runners', label: 'CI runners', apiName: 'demo-key-ci-2', share: 12 },
  { id: "Ana's laptop", label: "Ana's laptop", apiName: 'demo-key-ana', share: 21 },
  { id: 'client-5f21c0de', label: 'client-5f21c0de', apiName: 'demo-key-unlabelled', share: 11 },
]

interface Model {
  readonly name: string
  readonly share: number
  readonly tokensPerRequest: number
}

type Models = readonly [Model, ...Model[]]

const MODELS: Models = [
  { name: 'gpt-5.5', share: 48, tokensPerRequest: 19_000 },
  { name: 'gpt-5.5-codex', share: 31, tokensPerRequest: 26_000 },
  { name: 'gpt-5.4-mini', share: 15, tokensPerRequest: 6_000 },
  { name: 'gpt-5.3-codex-spark', share: 6, tokensPerRequest: 11_000 },
]
const MODELS_BESIDE_CODEX: ReadonlyMap<ProviderId, Models> = new Map<ProviderId, Models>([
  [
    'claude',
    [
      { name: 'claude-sonnet-5', share: 57, tokensPerRequest: 21_000 },
      { name: 'claude-opus-5', share: 31, tokensPerRequest: 28_000 },
      { name: 'claude-fable-5', share: 12, tokensPerRequest: 24_000 },
    ],
  ],
  [
    'xai',
    [
      { name: 'grok-4.5', share: 70, tokensPerRequest: 15_000 },
      { name: 'grok-code-fast-2', share: 30, tokensPerRequest: 9_000 },
    ],
  ],
  ['kimi', [{ name: 'kimi-k3', share: 100, tokensPerRequest: 17_000 }]],
  ['kimi-ai', [{ name: 'kimi-k3', share: 100, tokensPerRequest: 17_000 }]],
  [
    'antigravity',
    [
      { name: 'gemini-3.1-pro', share: 58, tokensPerRequest: 18_000 },
      { name: 'gemini-3-flash', share: 24, tokensPerRequest: 8_000 },
      { name: 'claude-sonnet-5', share: 18, tokensPerRequest: 20_000 },
    ],
  ],
  ['kiro', [{ name: 'claude-sonnet-5', share: 100, tokensPerRequest: 14_000 }]],
])

const FAILURES: readonly [Failure, ...Failure[]] = [
  { name: 'failedLimit', share: 55 },
  { name: 'failedVendor', share: 25 },
  { name: 'failedAuth', share: 12 },
  { name: 'failedOther', share: 8 },
]
interface Failure {
  readonly name: FailureClass
  readonly share: number
}

/** The sample usage of `--demo`: thirty days up to any `now`. A record never changes once created. */
export function createDemoUsageReader(): UsageReader & {
  /** Models of the thirty days, with example prices. */
  prices(now: EpochMs): PricesSeen
} {
  const pastDays = new Map<number, readonly UsageRecord[]>()
  const totalsOfPastDays = new Map<number, UsageCounts>()

  /** Records of whole days up to the start of today, then those of today. */
  function* recordsByDay(start: EpochMs, now: EpochMs): Generator<UsageRecord> {
    const [first, today] = [Math.floor(start / DAY_MS), Math.floor(now / DAY_MS)]
    for (let day = first; day < today; day += 1) {
      yield* keep(pastDays, day, today, () => [
        ...recordsIn(startOf(day), startOf(day + 1), SLOT_MS),
      ])
    }
    yield* recordsIn(startOf(today), now, SLOT_MS)
  }

  const totalsUpTo = (now: EpochMs): UsageCounts => {
    const today = Math.floor(now / DAY_MS)
    const totals = sumOfUsage(recordsIn(startOf(today), now, SLOT_MS))
    const days = Array.from(
      { length: HISTORY_DAYS - 1 },
      (_, index) => today - HISTORY_DAYS + 1 + index,
    )
    return sumOfUsage([
      ...days.map((day) => keep(totalsOfPastDays, day, today, () => totalsOfDay(day))),
      totals,
    ])
  }

  return {
    async series(query, now) {
      const earliest = earliestAt(now)
      const span = spanAskedBy(query, now, earliest)
      const asked = (query.compare ? previousSpanOf(span) : null) ?? span
      const from = epochMs(Math.max(asked.from, earliest))
      // A range begins on a bucket of its own width, which may be inside a slot, and a custom one on any minute.
      const bounds = [asked.from, span.from, span.end].filter((at) => at % SLOT_MS !== 0)
      const bucketMs = span.bucketSeconds * 1000
      const records =
        bucketMs % SLOT_MS === 0
          ? withMinutes(recordsByDay(from, now), bounds, now)
          : recordsIn(
              from,
              now,
              query.range === 'custom' ? MINUTE_MS : Math.min(bucketMs, FIVE_MINUTES_MS),
            )
      const watch = { since: earliest, missed: maintenanceBetween(from, now) }
      const isOfCost = query.metric === 'cost'
      const edges = [asked.from, span.from, span.end]
      const placeOf = (at: EpochMs) =>
        `${Math.floor((at - span.start) / bucketMs)} ${edges.filter((edge) => edge <= at).length}`
      return seriesOf(isOfCost ? withCosts(records, placeOf) : records, query, {
        now,
        earliest,
        watch,
        prices: { isEmpty: false, source: null, isByAccount: false },
      })
    },
    async failures({ between, filter }, now) {
      const days = daysOf(between)
      const from = epochMs(Math.max(days.from, earliestAt(now)))
      const to = epochMs(Math.min(days.to, now))
      const { status: _, ...members } = filter
      const inDays = [...recordsByDay(from, now)].filter(
        (record) => record.at >= from && record.at < to && countedPart(record, members) !== null,
      )
      return {
        span: { from, to },
        ...rankFailures(failuresIn(inDays), filter),
        ofRequests: sumOfUsage(inDays).requests,
        since: earliestAt(now),
      }
    },
    async summary(now) {
      const earliest = earliestAt(now)
      const recent = recentUsageOf(lastDayOfRecords(now), now)
      return {
        ...recent,
        history: {
          totals: totalsUpTo(now),
          earliest,
          latest: recent.live.lastEventAt,
          databaseBytes: null,
          retentionDays: HISTORY_DAYS,
          lastWriteAt: recent.live.lastEventAt,
          duplicates: 0,
          missing: 0,
          observedSeconds: (now - earliest) / 1000,
          gapSeconds: maintenanceMsBetween(earliest, now) / 1000,
        },
      }
    },
    prices: (now) => examplePricesSeen(recordsByDay(earliestAt(now), now), now),
    async requests({ filter, limit }, { from, before }) {
      const found: PlacedRequest[] = []
      const firstSlot = Math.floor(from / SLOT_MS)
      let slot = Math.floor(before.at / SLOT_MS)
      for (; slot >= firstSlot && found.length < limit; slot -= 1)
        found.push(
          ...requestsOfSlot(slot).filter(
            (request) =>
              isAsked(request, filter) &&
              request.at >= from &&
              (request.at < before.at ||
                (request.at === before.at && request.key < Number(before.key))),
          ),
        )
      const requests = found.slice(0, limit)
      const last = found.length < limit ? undefined : requests.at(-1)
      const next = last === undefined ? null : { at: last.at, key: String(last.key) }
      return { requests, next, rowsSince: null, unknownIds: [] }
    },
  }
}

/** Causes that the sample's failures have. */
const CAUSES: Readonly<Record<FailureClass, { readonly status: number; readonly code: string }>> = {
  failedAuth: { status: 401, code: 'token_invalidated' },
  failedLimit: { status: 429, code: 'usage_limit_reached' },
  failedVendor: { status: 503, code: 'overloaded_error' },
  failedOther: { status: 400, code: 'invalid_request_error' },
}

function failuresIn(records: readonly UsageRecord[]): readonly CauseCount[] {
  const found = new Map<string, CauseCount & { readonly keys: Set<string> }>()
  for (const record of records) {
    const { provider, account } = record
    const day = startOf(Math.floor(record.at / DAY_MS))
    for (const { name } of FAILURES) {
      const requests = record[name] ?? 0
      if (requests === 0) continue
      const key = `${provider} ${name}`
      const known = found.get(key)
      const keys = (known?.keys ?? new Set<string>()).add(account.id)
      found.set(key, {
        ...{ ...CAUSES[name], provider, keys, accounts: keys.size },
        requests: (known?.requests ?? 0) + requests,
        firstDay: epochMs(Math.min(known?.firstDay ?? day, day)),
        lastDay: epochMs(Math.max(known?.lastDay ?? day, day)),
      })
    }
  }
  return [...found.values()].map(({ keys: _, ...count }) => count)
}

/** Records with their costs, those of one place and member merged, because adding up costs takes long. */
function withCosts(
  records: Iterable<UsageRecord>,
  placeOf: (at: EpochMs) => string,
): readonly UsageRecord[] {
  const merged = new Map<string, { readonly first: UsageRecord; readonly sum: UsageSum }>()
  let place = { at: epochMs(0), name: '' }
  for (const record of records) {
    const { at, account, apiName, model } = record
    // Records come slot by slot.
    if (at !== place.at) place = { at, name: placeOf(at) }
    const key = `${place.name} ${account.id} ${apiName} ${model}`
    const known = merged.get(key) ?? { first: record, sum: emptySum() }
    merged.set(key, known)
    addTo(known.sum, record)
  }
  // Named one by one, because copies of so many members are slow to make and to read.
  return [...merged.values()].map(({ first, sum }) => {
    const { at, account, client, model, apiName, provider, upstream } = first
    const { tokens, tokensIn, tokensCached, tokensWritten, tokensOut } = sum
    const used = { model, provider, tokens, tokensIn, tokensCached, tokensWritten, tokensOut }
    return {
      at,
      account,
      client,
      model,
      apiName,
      provider,
      upstream,
      requests: sum.requests,
      tokens,
      failed: sum.failed,
      tokensIn,
      tokensCached,
      tokensWritten,
      tokensOut,
      failedAuth: sum.failedAuth,
      failedLimit: sum.failedLimit,
      failedVendor: sum.failedVendor,
      failedOther: sum.failedOther,
      cost: exampleCostOf(used).cost,
    }
  })
}

/** Records of slots, with those of minutes in place of each slot that a bound divides. */
function* withMinutes(
  records: Iterable<UsageRecord>,
  bounds: readonly EpochMs[],
  now: EpochMs,
): Generator<UsageRecord> {
  const divided = new Set(bounds.map((at) => Math.floor(at / SLOT_MS)))
  for (const record of records) if (!divided.has(Math.floor(record.at / SLOT_MS))) yield record
  for (const slot of divided)
    yield* recordsIn(
      epochMs(slot * SLOT_MS),
      epochMs(Math.min((slot + 1) * SLOT_MS, now)),
      MINUTE_MS,
    )
}

/** The cached value of a past day, created once by `make`; days that have left the history are dropped. */
function keep<Made>(byDay: Map<number, Made>, day: number, today: number, make: () => Made): Made {
  for (const old of byDay.keys()) if (old <= today - HISTORY_DAYS) byDay.delete(old)
  const known = byDay.get(day) ?? make()
  byDay.set(day, known)
  return known
}

function startOf(day: number): EpochMs {
  return epochMs(day * DAY_MS)
}

interface PlacedRequest extends UsageRequest {
  readonly key: number
}

/** The individual requests of a slot, newest first; the requests of a minute are spread over it. */
function requestsOfSlot(slot: number): readonly PlacedRequest[] {
  const records = recordsIn(epochMs(slot * SLOT_MS), epochMs((slot + 1) * SLOT_MS), MINUTE_MS)
  const requests = [...records].flatMap((record) =>
    Array.from({ length: record.requests }, (_, index): UsageRequest => {
      const failed = index < record.failed
      const share = (count = 0) => (failed ? 0 : count / (record.requests - record.failed))
      const classes = {
        tokensIn: share(record.tokensIn),
        tokensCached: share(record.tokensCached),
        tokensWritten: share(record.tokensWritten),
        tokensOut: share(record.tokensOut),
      }
      const tokens = share(record.tokens)
      return {
        at: plusMs(record.at, Math.floor((index * MINUTE_MS) / record.requests)),
        account: record.account,
        client: { id: record.client.id, label: record.client.label },
        model: record.model,
        provider: record.provider,
        upstream: record.upstream,
        failed,
        failure: failed ? (FAILURES.find(({ name }) => record[name])?.name ?? null) : null,
        tokens,
        classes,
        tier: null,
        ...exampleCostOf({ ...classes, tokens, model: record.model, provider: record.provider }),
        latencyMs: failed ? null : (record.latencyMs ?? null),
        firstTokenMs: failed ? null : (record.firstTokenMs ?? null),
      }
    }),
  )
  return requests
    .map((request, key) => ({ ...request, key }))
    .sort((one, other) => other.at - one.at || other.key - one.key)
}

/** Start of the sample history, a whole day. */
export function earliestAt(now: EpochMs): EpochMs {
  return startOf(Math.floor(now / DAY_MS) - HISTORY_DAYS + 1)
}

const WORKERS = SAMPLE_POOL.filter((row) => row.requestsPerSlot > 0).map((row, index) => ({
  index,
  account: { id: row.accountKey, label: row.title },
  provider: row.provider,
  models: MODELS_BESIDE_CODEX.get(row.provider) ?? MODELS,
  traffic: {
    requestsPerSlot: row.requestsPerSlot,
    failedRatio: row.failedRatio ?? 0,
    phaseMs: windowPhaseMs(row),
  },
}))
type Worker = (typeof WORKERS)[number]
/** Number of chances of a slot. It counts Codex workers only, so that accounts of other providers do not change the usage of Codex. */
const CHANCES = WORKERS.filter(({ provider }) => provider === 'codex').length

/** One-minute records at both ends, where exact times matter, and whole slots in between. */
function* lastDayOfRecords(now: EpochMs): Generator<UsageRecord> {
  const { from: start } = usageSpanOf('24h', now, null)
  const firstSlot = epochMs(Math.ceil(start / SLOT_MS) * SLOT_MS)
  const live = epochMs(Math.floor((now / 1000 - LIVE_WINDOW_SECONDS) / (SLOT_MS / 1000)) * SLOT_MS)
  yield* recordsIn(start, firstSlot, MINUTE_MS)
  yield* recordsIn(firstSlot, live, SLOT_MS)
  yield* recordsIn(live, now, MINUTE_MS)
}

/** Sum of a past day's records, computed without creating them. */
function totalsOfDay(day: number): UsageCounts {
  const totals = emptySum()
  for (const worker of WORKERS) {
    const wholeSlots = { ...worker.traffic, until: startOf(day + 1) }
    for (let slot = (day * DAY_MS) / SLOT_MS; slot < ((day + 1) * DAY_MS) / SLOT_MS; slot += 1) {
      if (isUnderMaintenance(slot * SLOT_MS)) continue
      addTo(totals, countsOf(slot, worker, requestSlotOf(slot, wholeSlots)))
    }
  }
  return totals
}

/** Records that begin in `start <= at < end`; the newest one counts only usage before `end`. */
function* recordsIn(start: EpochMs, end: EpochMs, stepMs: number): Generator<UsageRecord> {
  for (let slot = Math.floor(start / SLOT_MS); slot * SLOT_MS < end; slot += 1) {
    if (isUnderMaintenance(slot * SLOT_MS)) continue
    for (const worker of WORKERS) {
      let before = NOTHING
      for (let at = slot * SLOT_MS; at < end && at < (slot + 1) * SLOT_MS; at += stepMs) {
        const upTo = requestSlotOf(slot, {
          ...worker.traffic,
          until: epochMs(Math.min(at + stepMs, end)),
        })
        if (at >= start && upTo.success + upTo.failed > before.success + before.failed) {
          yield recordOf(worker, at, {
            success: upTo.success - before.success,
            failed: upTo.failed - before.failed,
          })
        }
        before = upTo
      }
    }
  }
}

const NOTHING = { success: 0, failed: 0 }

type Done = Pick<RequestSlot, 'success' | 'failed'>

function recordOf(worker: Worker, at: number, done: Done): UsageRecord {
  const { index, account, provider } = worker
  const slot = Math.floor(at / SLOT_MS)
  const client = draw(CLIENTS, scatter(chanceOf(slot, index) * 7 + 2))
  return {
    at: epochMs(at),
    account,
    client,
    model: modelOf(slot, worker).name,
    apiName: client.apiName,
    provider,
    upstream: DEFAULT_UPSTREAM,
    ...countsOf(slot, worker, done),
    // Most answers take seconds, a few take most of a minute.
    latencyMs: Math.round(3_000 + 45_000 * scatter(at / MINUTE_MS + index * 11) ** 6),
    firstTokenMs: Math.round(600 + 5_000 * scatter(at / MINUTE_MS + index * 13) ** 4),
  }
}

/** Counts for requests of one slot. The values per request depend on the slot alone, so that the parts of a slot add up to the whole. */
function countsOf(slot: number, worker: Worker, { success, failed }: Done) {
  const { index, provider } = worker
  const tokens = tokensPerRequest(slot, worker)
  const cached = Math.floor(tokens * (0.4 + 0.4 * scatter(chanceOf(slot, index) * 5 + 3)))
  const output = Math.floor(tokens * 0.06)
  // Of these vendors only Claude counts what it writes to its cache.
  const written = provider === 'claude' ? Math.floor(tokens * 0.08) : 0
  const failure = draw(FAILURES, scatter(chanceOf(slot, index) * 9 + 4)).name
  return {
    requests: success + failed,
    tokens: success * tokens,
    failed,
    tokensIn: success * (tokens - cached - written - output),
    tokensCached: success * cached,
    tokensWritten: success * written,
    tokensOut: success * output,
    [failure]: failed,
  }
}

function tokensPerRequest(slot: number, worker: Worker): number {
  return Math.round(modelOf(slot, worker).tokensPerRequest * rhythmAt(slot * SLOT_MS))
}

/** The model of a whole slot. It is the same for all minutes of the slot, so that they add up to the longer records. */
function modelOf(slot: number, { index, models }: Worker): Model {
  return draw(models, scatter(chanceOf(slot, index) * 3 + 1))
}

function chanceOf(slot: number, index: number): number {
  return slot * CHANCES + index
}

/** Working rhythm: less at night and at weekends; longer sessions with more tokens per request by day. The mean is about 1. */
function rhythmAt(at: number): number {
  const hour = Math.floor(at / HOUR_MS) % 24
  const byHour = 1 + 0.7 * Math.sin(((hour - 8) / 24) * 2 * Math.PI)
  // 1970-01-01 was a Thursday.
  const weekday = Math.floor(at / DAY_MS + 4) % 7
  return byHour * (weekday === 0 || weekday === 6 ? 0.45 : 1.2)
}

/** The kind that `chance`, 0..1, selects. Shares add up to 100. */
function draw<Kind extends { readonly share: number }>(
  kinds: readonly [Kind, ...Kind[]],
  chance: number,
): Kind {
  let left = chance * 100
  for (const kind of kinds) {
    left -= kind.share
    if (left < 0) return kind
  }
  return kinds[0]
}
