import { DAY_MS, type EpochMs, epochMs, HOUR_MS, MINUTE_MS, plusMs, type Snapshot } from '@svc/core'
import { type CourseQuery, courseSpanOf, unrecordedCourses } from '@svc/core/account'
import { CYCLES_RANGE, poolCyclesOf } from '@svc/core/pool'
import { anAccount, aSnapshot, NOW, virtualClock } from '@svc/core/testing'
import { emptyRow, placeAt, seriesOf, type UsageRow, usageCoverageOf } from '@svc/core/usage'
import {
  catalogueOf,
  createWording,
  healthHistoryView,
  pricesView,
  quotaCourseView,
  seriesDefaults,
  usageFailuresView,
} from '@svc/views'
import { describe, expect, it } from 'vitest'
import { encodeJson } from '../answers/encode-json.ts'
import {
  encodeChart,
  type HistoryQuestions,
  type RowsRequest,
  type SeriesRequest,
} from '../answers/history-questions.ts'
import type { FilteredPayload, ReadyAnswer, Refusal } from '../answers/ready-answer.ts'
import { ReaderBusy } from '../store/store-reader.ts'
import { createHistoryAnswers, createKeptAnswers, type HistoryAnswers } from './history-answers.ts'

const words = catalogueOf('en')
const context = { text: createWording('UTC') }
const ann = anAccount('ann')
const LISTED = ann.selector.accountKey
const RECORDED = '8899aabbccddeeff'
const UNKNOWN = 'ffffffffffffffff'
const query = (accountKey: string): CourseQuery => ({ accountKey, range: '24h' })
const request = (changes: Partial<SeriesRequest> = {}): SeriesRequest => ({
  query: seriesDefaults,
  between: null,
  format: 'json',
  warnings: [],
  ...changes,
})
const ROWS: RowsRequest = {
  range: 'all',
  format: 'csv',
  between: null,
  filter: {},
  limit: 500,
}
const used = (requests: number) => ({ ...emptyRow({ id: LISTED, label: 'ann' }), requests })
const bodyOf = (answer: ReadyAnswer | null) =>
  answer === null ? null : JSON.parse(Buffer.from(answer.plain.bytes).toString())
const answerIn = (found: FilteredPayload | Refusal) =>
  'answer' in found ? found.answer : expect.unreachable(JSON.stringify(found))

/** Answers from a history with readings of one account that is no longer listed; another account is listed. */
function answers({ withHistory = true }: { readonly withHistory?: boolean } = {}) {
  const clock = virtualClock(async () => undefined)
  const asked: { readonly question: string; readonly args: readonly unknown[] }[] = []
  const order: string[] = []
  const recorded = new Set([RECORDED])
  let failure: Error | null = null
  let usageMoment: EpochMs | null = null
  let snapshot: Snapshot | null = aSnapshot([[ann, null]])
  const ask = (question: keyof HistoryQuestions, ...args: readonly unknown[]) => {
    asked.push({ question, args })
    order.push('asked')
    if (failure !== null) throw failure
  }
  const questions: HistoryQuestions = {
    async chart(asking, now) {
      ask('chart', asking, now)
      const series = seriesOf([], asking.query, { now, earliest: now })
      return encodeChart(series, asking, words)
    },
    async course(asking, now) {
      ask('course', asking, now)
      const courses = unrecordedCourses(asking, now).slice(0, 1)
      return recorded.has(asking.accountKey)
        ? encodeJson(quotaCourseView(courses, asking, { now, words }))
        : null
    },
    async health(now, provider) {
      ask('health', now, provider)
      return encodeJson(healthHistoryView({ stretches: [], awaySince: null }, now))
    },
    async cycles(weights, span) {
      ask('cycles', [...weights].map(String), span)
      return poolCyclesOf({ accounts: [], unwatched: [] }, weights, span)
    },
    async accountUsage(now) {
      ask('accountUsage', now)
      const watched = usageCoverageOf({ from: NOW, end: now }, { since: NOW, missed: [] })
      const spanOf = (row: UsageRow) => {
        return { rows: [row], coverage: { ...watched, percent: 100 }, isPriced: true }
      }
      const cost = { units: 60n * 10n ** 16n, unpricedTokens: 0, assumedTokens: 0 }
      return {
        since: NOW,
        lastDay: spanOf(used(3)),
        lastWeek: spanOf(used(20)),
        lastMonth: spanOf({ ...used(50), cost }),
        firstRead: new Map([[LISTED, plusMs(now, -40 * DAY_MS)]]),
        subscriptions: [{ of: { account: LISTED }, usd: 20, per: 'month', fromDay: 0 }],
      }
    },
    unpricedShare: async () => null,
    async rows(asking, left) {
      ask('rows', asking, left)
      return { bytes: new Uint8Array(), left: null, rowsSince: null, unknownIds: [] }
    },
    async failures(question) {
      ask('failures', question)
      return encodeJson(
        usageFailuresView(
          { span: question.between, causes: [], failed: 0, ofRequests: 9, since: null },
          words,
        ),
      )
    },
    async prices(accounts, now) {
      ask('prices', accounts.map(({ account }) => account).join(), now)
      return encodeJson(pricesView({ asOf: NOW, models: [], source: null }, null, words))
    },
    summary: () => expect.unreachable(),
  }
  return {
    clock,
    asked,
    order,
    recorded,
    ...createHistoryAnswers({
      questions: withHistory ? questions : null,
      latest: () => (snapshot === null ? null : { snapshot, context }),
      async usageAsOf() {
        order.push('usage')
        return usageMoment
      },
      clock,
      usageClock: clock,
      words,
    }),
    show: (changes: Partial<Snapshot> | null) => {
      snapshot = changes === null ? null : { ...aSnapshot([[ann, null]]), ...changes }
    },
    dateUsage: (at: EpochMs | null) => {
      usageMoment = at
    },
    fail: (next: Error | null) => {
      failure = next
    },
  }
}

const WINDOWS = { filter: {}, between: null, warnings: [] }

/** The answers as JSON says whether each is available. */
const kinds: readonly {
  readonly kind: keyof HistoryAnswers
  readonly ask: (history: HistoryAnswers) => Promise<unknown>
}[] = [
  { kind: 'chart', ask: async (history) => bodyOf(answerIn(await history.chart(request()))) },
  { kind: 'course', ask: async (history) => bodyOf(await history.course(query(LISTED))) },
  { kind: 'account', ask: async (history) => bodyOf(await history.account(query(LISTED)))?.usage },
  {
    kind: 'failures',
    ask: async (history) => bodyOf(answerIn(await history.failures({ filter: {}, between: null }))),
  },
  { kind: 'prices', ask: async (history) => bodyOf(await history.prices()) },
  { kind: 'healthHistory', ask: async (history) => bodyOf(await history.healthHistory()) },
  { kind: 'cycles', ask: async (history) => bodyOf(answerIn(await history.cycles(WINDOWS))) },
]
const reasonIn = (kind: keyof HistoryAnswers, reason: string) =>
  kind === 'chart' ? { available: false } : { available: false, reason }

describe.each(kinds)('the answer $kind', ({ kind, ask }) => {
  it('says that there is no history', async () => {
    expect(await ask(answers({ withHistory: false }))).toMatchObject(reasonIn(kind, 'no_store'))
  })

  it('says for now alone that the history cannot be read', async () => {
    const { fail, ...history } = answers()
    fail(new Error('corrupt'))
    expect(await ask(history)).toMatchObject(reasonIn(kind, 'store_unavailable'))
    fail(null)

    expect(await ask(history)).toMatchObject({ available: true })
  })

  it('rejects while the reader is busy, and does not keep that', async () => {
    const { fail, ...history } = answers()
    fail(new ReaderBusy('replaced'))
    await expect(ask(history)).rejects.toBeInstanceOf(ReaderBusy)
    fail(null)

    expect(await ask(history)).toMatchObject({ available: true })
  })
})

describe('charts', () => {
  it.each([
    [3_600, null, 'custom'],
    [3_600, 1_800, 'custom'],
    [3_600, -60, 'custom'],
    [3_600, 3_600, null],
    [3_600, -61, null],
    [-1, null, null],
  ])('of the time from %d s ago to %d s ago have the range %s', async (fromS, toS, range) => {
    const { chart, clock } = answers()
    const ago = (seconds: number) => plusMs(clock.now(), -seconds * 1000)
    const between = { from: ago(fromS), to: toS === null ? null : ago(toS) }
    const found = await chart(request({ query: { ...seriesDefaults, range: 'custom' }, between }))

    if (range === null) expect(found).toMatchObject({ refusal: { slug: 'invalid_span' } })
    else expect(bodyOf(answerIn(found))).toMatchObject({ range: { id: range } })
  })

  it('are computed once for a hundred equal requests, and again after a while', async () => {
    const { chart, asked, clock } = answers()
    const payloads = await Promise.all(Array.from({ length: 100 }, () => chart(request())))

    expect(new Set(payloads.map(answerIn)).size).toBe(1)
    expect(asked).toHaveLength(1)
    await clock.advance(5_001)
    await chart(request())
    expect(asked).toHaveLength(2)
  })

  it('are as of the same instant as the other answers, or as of now where that is unknown', async () => {
    const { chart, dateUsage, asked, clock } = answers()
    const earlier = plusMs(clock.now(), -3_000)
    await chart(request())
    dateUsage(earlier)
    await chart(request())
    await chart(request())
    dateUsage(plusMs(earlier, 1_000))
    await chart(request())

    const moments = asked.map(({ args }) => args[1])
    expect(moments).toEqual([clock.now(), earlier, plusMs(earlier, 1_000)])
  })

  it('are kept apart by everything that decides them', async () => {
    const { chart, asked } = answers()
    const requests = [
      request(),
      request({ query: { ...seriesDefaults, top: 3 } }),
      request({ format: 'csv' }),
      request({ warnings: ['x'] }),
    ]
    const etags = await Promise.all(
      requests.map(async (each) => answerIn(await chart(each)).plain.etag),
    )

    expect(new Set(etags).size).toBe(4)
    expect(asked).toHaveLength(4)
  })

  it('name the providers of the listed accounts, once there is a list', async () => {
    const { chart, asked, show } = answers()
    await chart(request())
    show(null)
    await chart(request({ warnings: ['x'] }))

    expect(asked.map(({ args: [asking] }) => asking)).toEqual([
      request({ query: { ...seriesDefaults, listed: new Map([[LISTED, 'codex']]) } }),
      request({ warnings: ['x'] }),
    ])
  })

  it('of one provider count it', async () => {
    const { chart, cycles, asked } = answers()
    const filter = { provider: ['claude'] }
    const claude = request({ query: { ...seriesDefaults, filter } })

    expect(bodyOf(answerIn(await chart(claude))).query).toMatchObject({
      provider: 'claude',
      filter,
    })
    expect(bodyOf(answerIn(await cycles({ ...WINDOWS, providers: ['claude'] }))).provider).toBe(
      'claude',
    )
    expect(asked).toHaveLength(2)
    for (const providers of [['cluade'], ['all'], ['codex', 'claude'], []])
      expect(await cycles({ ...WINDOWS, providers })).toMatchObject({
        unknown: { parameter: 'provider' },
      })
    expect(asked).toHaveLength(2)
  })

  it('as CSV are text', async () => {
    const { plain } = answerIn(await answers().chart(request({ format: 'csv' })))

    expect(plain.headers['Content-Type']).toBe('text/csv; charset=utf-8')
    expect(Buffer.from(plain.bytes).toString()).toMatch(/^timestamp,series_id,/)
  })
})

describe('courses', () => {
  it.each([
    { who: 'an account that is recorded and not listed', accountKey: RECORDED, windows: 1 },
    { who: 'an account that is listed and not recorded', accountKey: LISTED, windows: 2 },
  ])('are there for $who', async ({ accountKey, windows }) => {
    const body = bodyOf(await answers().course(query(accountKey)))

    expect(body).toMatchObject({ accountKey, available: true, reason: null })
    expect(body.windows).toHaveLength(windows)
  })

  it('are those recorded of an account that is listed as well', async () => {
    const { course, recorded } = answers()
    recorded.add(LISTED)

    expect(bodyOf(await course(query(LISTED))).windows).toHaveLength(1)
  })

  it.each([
    { what: 'with a history', withHistory: true },
    { what: 'without one', withHistory: false },
  ])('are none for an account that nobody knows, $what', async ({ withHistory }) => {
    expect(await answers({ withHistory }).course(query(UNKNOWN))).toBeNull()
  })

  it('are the same bytes for as long as the other answers speak of the same moment', async () => {
    const { course, asked, clock, show } = answers()
    const first = await course(query(RECORDED))
    await clock.advance(4_999)
    expect(await course(query(RECORDED))).toBe(first)
    await clock.advance(2)
    expect((await course(query(RECORDED)))?.plain.etag).toBe(first?.plain.etag)
    expect(asked).toHaveLength(2)
    show({ evaluatedAt: plusMs(NOW, 15_000) })

    expect((await course(query(RECORDED)))?.plain.etag).not.toBe(first?.plain.etag)
  })
})

describe('the history of health', () => {
  it('is read once for all who ask within a minute, about the provider that is shown', async () => {
    const { healthHistory, asked, clock, show } = answers()
    const first = await healthHistory()
    await clock.advance(59_000)
    show({ evaluatedAt: plusMs(NOW, 59_000) })

    expect(bodyOf(first)).toMatchObject({ available: true, reason: null, stretches: [] })
    expect(await healthHistory()).toBe(first)
    show({ evaluatedAt: plusMs(NOW, 60_000) })
    expect(await healthHistory()).not.toBe(first)
    show({ provider: 'claude' })
    await healthHistory()
    expect(asked.map(({ args }) => args)).toEqual([
      [NOW, 'codex'],
      [plusMs(NOW, 60_000), 'codex'],
      [NOW, 'claude'],
    ])
  })
})

describe('past windows', () => {
  const account = (accountKey: string, capacityWeight: number, countedInCapacity = true) =>
    ({
      ...aSnapshot([[ann, null]]).accounts[0],
      selector: { accountKey },
      capacityWeight,
      countedInCapacity,
    }) as Snapshot['accounts'][0]

  it('are those of the accounts that count in the capacity, as of the last whole five minutes', async () => {
    const { show, cycles, asked } = answers()
    show({
      accounts: [account('a', 1), account('b', 20), account('free', 0), account('again', 1, false)],
    })

    expect(bodyOf(answerIn(await cycles(WINDOWS)))).toMatchObject({
      available: true,
      watchedSeconds: 2_592_000,
    })
    expect(asked.map(({ args }) => args)).toEqual([
      [['a,1', 'b,20'], courseSpanOf(CYCLES_RANGE, epochMs(Math.floor(NOW / 300_000) * 300_000))],
    ])
  })

  it('are those of the accounts and the time asked for, of the provider of the first account', async () => {
    const { show, cycles, asked } = answers()
    const ofClaude = (key: string) => {
      const one = account(key, 1)
      return { ...one, account: { ...one.account, provider: 'claude' } }
    }
    const codex = [account('a', 1), account('b', 20)]
    const claude = [ofClaude('c'), ofClaude('d')]
    const [pool] = aSnapshot([[ann, null]]).pools
    const pools = pool === undefined ? [] : [{ ...pool, provider: 'claude', accounts: claude }]
    show({ accounts: codex, pools })
    const between = { from: plusMs(NOW, -DAY_MS), to: plusMs(NOW, -HOUR_MS) }
    const of = async (keys: readonly string[], more: object = {}) =>
      bodyOf(answerIn(await cycles({ ...WINDOWS, filter: { account: keys }, between, ...more })))

    expect(await of(['b'])).toMatchObject({
      provider: 'codex',
      query: { filter: { account: ['b'] } },
    })
    expect(await of(['d', 'a'])).toMatchObject({
      provider: 'claude',
      warnings: [expect.stringContaining('claude')],
    })
    expect(await of(['b'], { providers: ['claude'] })).toMatchObject({
      warnings: [expect.stringContaining('claude')],
    })
    expect(asked.map(({ args }) => args)).toEqual([
      [['b,20'], between],
      [['d,1'], between],
      [[], between],
    ])
  })

  it('are not counted in a time that is empty or still to come', async () => {
    const { cycles, asked } = answers()
    const minutes = (from: number, to: number | null) => ({
      from: plusMs(NOW, from * MINUTE_MS),
      to: to === null ? null : plusMs(NOW, to * MINUTE_MS),
    })
    for (const between of [minutes(-5, -5), minutes(-5, 2), minutes(1, null)])
      expect(await cycles({ ...WINDOWS, between })).toMatchObject({
        refusal: { slug: 'invalid_span' },
      })
    for (const between of [minutes(-1, null), minutes(-5, 0), minutes(-5, 1)])
      answerIn(await cycles({ ...WINDOWS, between }))
    expect(asked.map(({ args: [, span] }) => span)).toMatchObject([{ to: NOW }, { to: NOW }])
  })

  it('are read once in five minutes, and again where the accounts are others', async () => {
    const { show, cycles, asked } = answers()
    show({ accounts: [account('a', 1)] })
    const first = await cycles(WINDOWS)
    show({ accounts: [account('a', 1)], evaluatedAt: plusMs(NOW, 1_000) })
    expect(await cycles(WINDOWS)).toEqual(first)
    expect(asked).toHaveLength(1)

    show({ accounts: [account('a', 1), account('b', 1)] })
    await cycles(WINDOWS)
    show({ accounts: [account('a', 1), account('b', 1)], evaluatedAt: plusMs(NOW, 300_000) })
    await cycles(WINDOWS)
    expect(asked).toHaveLength(3)
  })

  it('tell nothing of a week before the first snapshot, when no account counts yet', async () => {
    const { cycles, show } = answers()
    const unknown = { expiredUnits: null, notBegunUnits: null, trackedUnits: null }
    show(null)
    expect(bodyOf(answerIn(await cycles(WINDOWS))).windows).toMatchObject([unknown, unknown])

    show({ accounts: [account('a', 1)] })
    expect(bodyOf(answerIn(await cycles(WINDOWS))).windows[1]).toMatchObject({ expiredUnits: 0 })
  })
})

it('asks for prices with the listed accounts, each once', async () => {
  const { prices, asked, show } = answers()
  const again = { ...aSnapshot([[ann, null]]).accounts[0], plan: 'another' }
  const { accounts } = aSnapshot([[ann, null]])
  show({ accounts: [...accounts, again as never] })
  await prices()

  expect(asked.map(({ args }) => args[0])).toEqual([LISTED])
})

describe('the answer about one account', () => {
  it('has its items, its usage of a day and of a week, and the course of its quota', async () => {
    expect(bodyOf(await answers().account(query(LISTED)))).toMatchObject({
      items: [{ accountKey: LISTED }],
      usage: { available: true, lastDay: { requests: 3 }, lastWeek: { requests: 20 } },
      paidBack: { listUsd30d: 60, paidBack: 3, isAtLeast: false },
      quota: { accountKey: LISTED, range: { id: '24h' } },
    })
  })

  it('reads the usage once for all accounts', async () => {
    const { account, asked } = answers()
    await account(query(LISTED))
    const other = bodyOf(await account(query(RECORDED)))

    expect(asked.filter(({ question }) => question === 'accountUsage')).toHaveLength(1)
    expect(other.usage.lastWeek).toEqual({ requests: 0, tokens: 0, failed: 0 })
  })

  it('is none for an account that nobody knows, and rejects before the first snapshot', async () => {
    const { account, show } = answers()
    expect(await account(query(UNKNOWN))).toBeNull()
    show(null)
    await expect(account(query(LISTED))).rejects.toBeInstanceOf(ReaderBusy)
  })
})

describe('a download', () => {
  it('begins at the start of its range and ends at the instant of its first part', async () => {
    const { rows, asked, clock } = answers()
    const before = placeAt(clock.now())
    await rows(ROWS, null)
    await clock.advance(60_000)
    await rows(ROWS, { from: NOW, before })
    await rows({ ...ROWS, range: '1h' }, null)

    expect(asked.map(({ args }) => args[1])).toMatchObject([
      { from: 0, before },
      { from: NOW, before },
      { from: plusMs(clock.now(), -3_600_000), before: placeAt(clock.now()) },
    ])
  })

  it('says why there is none, and rejects while the reader is busy', async () => {
    expect(await answers({ withHistory: false }).rows(ROWS, null)).toBe('no_store')
    const { rows, fail } = answers()
    fail(new Error('corrupt'))
    expect(await rows(ROWS, null)).toBe('store_unavailable')
    fail(new ReaderBusy('replaced'))
    await expect(rows(ROWS, null)).rejects.toBeInstanceOf(ReaderBusy)
  })
})

const without = () => -1

function keptAnswers() {
  const clock = virtualClock(async () => undefined)
  const kept = createKeptAnswers<number>({} as HistoryQuestions, clock)
  let computed = 0
  const count = async () => {
    computed += 1
    return computed
  }
  return { clock, count, ask: (key: string) => kept(key, { read: count, without }), kept }
}

describe('an answer that is kept', () => {
  it('makes room for the newest of more than 64, the oldest first', async () => {
    const { ask } = keptAnswers()
    for (let number = 0; number <= 64; number += 1) await ask(String(number))

    expect(await ask('1')).toBe(2)
    expect(await ask('0')).toBe(66)
  })
})
