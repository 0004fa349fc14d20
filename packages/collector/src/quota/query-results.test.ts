import { anAccount, aQuotaSample, fromNow, NOW, silentLog, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import type { ProbeResult } from '../providers/contract/provider.ts'
import { createAccountBook } from './account-book.ts'
import { createQueryResults, createQueryTally, type SentQuery } from './query-results.ts'

const alice = anAccount('alice')
const { authIndex } = alice.selector
const SAMPLE: ProbeResult = { kind: 'sample', sample: aQuotaSample({ fiveHour: 40 }) }
const REFUSED: ProbeResult = { kind: 'auth', httpStatus: 401 }
const BROKEN: ProbeResult = { kind: 'failed', code: 'timeout', httpStatus: null }
const BLOCKED: ProbeResult = { kind: 'blocked', httpStatus: 403 }
const waitFor = (retryAfterSeconds: number | null): ProbeResult => ({
  kind: 'throttled',
  httpStatus: 429,
  retryAfterSeconds,
})

/** Alice in an account book, with her queries answered one at a time. */
function aWatch() {
  const clock = virtualClock(() => Promise.resolve())
  const book = createAccountBook(clock)
  const tally = createQueryTally()
  const heard: string[] = []
  const line = (event: string) => void heard.push(event)
  book.follow([alice])
  const [watched] = book.all()
  if (watched === undefined) throw new Error('alice is listed')
  const results = createQueryResults({
    book,
    tally,
    onFirstRefusal: ({ account }) => void heard.push(`refused ${account.title}`),
    clock,
    log: { ...silentLog, info: line, warn: line },
    report: {
      count(counted) {
        if (counted.counter === 'direct_quota_probes_total')
          heard.push(`${counted.class} ${counted.result}`)
      },
    },
  })
  return {
    clock,
    book,
    tally,
    heard,
    watched,
    settle: (result: ProbeResult, sent: Partial<SentQuery> = {}) =>
      results.settle(watched, { authIndex, isDiagnostic: false, ...sent }, result),
  }
}

describe('the answer to a query', () => {
  it('with a sample is the evidence of its account, and ends its failures', () => {
    const { watched, settle } = aWatch()
    settle(BROKEN)
    settle(REFUSED)
    expect(watched.evidence.probeFailure?.inARow).toBe(2)
    settle(SAMPLE)

    expect(watched.evidence).toMatchObject({
      samples: [{ sampledAt: NOW }],
      probeFailure: null,
      refusedLogin: null,
    })
  })

  it.each<{ what: string; result: ProbeResult; reported: string }>([
    { what: 'a sample', result: SAMPLE, reported: 'ok' },
    { what: 'a refused login', result: REFUSED, reported: 'auth' },
    { what: 'a challenge page', result: BLOCKED, reported: 'blocked' },
    { what: 'a demand to wait', result: waitFor(1), reported: 'throttled' },
    { what: 'a failure', result: BROKEN, reported: 'failed' },
  ])('that brings $what is reported as $reported, with the class of its account', (row) => {
    const { heard, watched, settle } = aWatch()
    watched.quotaClass = 'recovery'
    settle(row.result)

    expect(heard[0]).toBe(`recovery ${row.reported}`)
  })

  it.each<{ what: string; result: ProbeResult; untilMs: number | null }>([
    { what: 'the 90 s that the vendor asks for', result: waitFor(90), untilMs: 1000 + 90_000 },
    { what: 'no longer where it asks for 0 s', result: waitFor(0), untilMs: 1000 },
    { what: 'no time where it names none', result: waitFor(null), untilMs: null },
    { what: 'no time where it asks for no wait', result: BROKEN, untilMs: null },
  ])('holds its account back for $what', async ({ result, untilMs }) => {
    const { clock, watched, settle } = aWatch()
    await clock.advance(1000)
    const before = watched.times.waitUntilMs
    settle(result)

    expect(watched.times.waitUntilMs).toBe(untilMs ?? before)
  })

  it.each<{ where: string; sentAs: string; listed: readonly (typeof alice)[] }>([
    { where: 'has left the list', sentAs: authIndex, listed: [] },
    { where: 'was sent under another index', sentAs: 'gone', listed: [alice] },
  ])("is nobody's when the account $where, and is counted all the same", (row) => {
    const { book, tally, watched, settle } = aWatch()
    watched.times = { ...watched.times, lastAttemptAtMs: 5 }
    book.follow(row.listed)
    settle(SAMPLE, { authIndex: row.sentAs })

    expect(watched.evidence.samples).toEqual([])
    expect(watched.times.lastAttemptAtMs).toBeNull()
    expect(tally.reading().lastGood?.value.succeeded).toBe(1)
  })
})

describe('a refused login', () => {
  it('is confirmed by a refusal after a newer list alone', () => {
    const { book, heard, watched, settle } = aWatch()
    settle(REFUSED)
    settle(REFUSED)
    expect(watched.evidence.refusedLogin?.inARow).toBe(1)
    book.follow([alice])
    settle(REFUSED)

    expect(watched.evidence.refusedLogin?.inARow).toBe(2)
    // Each possible first refusal asks for the list; the second in a row does not.
    expect(heard.filter((line) => line.startsWith('refused'))).toHaveLength(2)
  })

  it('of another try counts from the beginning after a good answer', () => {
    const { book, watched, settle } = aWatch()
    settle(REFUSED)
    book.follow([alice])
    settle(SAMPLE)
    settle(REFUSED)

    expect(watched.evidence.refusedLogin?.inARow).toBe(1)
  })
})

describe('a diagnostic query', () => {
  it.each<{ result: ProbeResult; state: string }>([
    { result: SAMPLE, state: 'ok' },
    { result: REFUSED, state: 'auth_invalid' },
    { result: BROKEN, state: 'error' },
  ])('that ends as $state changes nothing but its own result', ({ result, state }) => {
    const { tally, watched, settle, heard } = aWatch()
    const before = watched.evidence
    settle(result, { isDiagnostic: true })

    expect(watched.evidence).toEqual({
      ...before,
      disabledProbe: expect.objectContaining({ state, probedAt: NOW }),
    })
    expect(tally.reading().outcome.kind).toBe('pending')
    expect(heard).toHaveLength(1)
  })

  it('of an account that is another by now says nothing', () => {
    const { book, watched, settle } = aWatch()
    book.follow([])
    settle(SAMPLE, { isDiagnostic: true })

    expect(watched.evidence.disabledProbe).toEqual({ state: 'unknown' })
  })
})

describe('the log', () => {
  it('says once that queries are answered, and once that none is', async () => {
    const { clock, heard, settle } = aWatch()
    const logged = () => heard.filter((line) => line.startsWith('source'))
    settle(SAMPLE)
    settle(SAMPLE)
    expect(logged()).toEqual(['source answers'])

    await clock.advance(120_000)
    // The newest 20 decide, so a single answer among them is enough.
    for (let count = 0; count < 19; count += 1) settle(BROKEN)
    expect(logged()).toEqual(['source answers'])
    settle(BROKEN)
    expect(logged()).toEqual(['source answers', 'source fails'])
  })

  it('is not about one dead account', () => {
    const { heard, settle } = aWatch()
    settle(REFUSED)

    expect(heard).toContain('source answers')
  })
})

const sample: ProbeResult = { kind: 'sample', sample: aQuotaSample() }
const refused: ProbeResult = { kind: 'auth', httpStatus: 401 }
const broken: ProbeResult = { kind: 'failed', code: 'timeout', httpStatus: null }

function tallyOf(...results: readonly ProbeResult[]) {
  const tally = createQueryTally()
  for (const [index, result] of results.entries()) tally.count(result, fromNow(index))
  return tally.reading()
}
const times = (count: number, result: ProbeResult) => Array.from({ length: count }, () => result)

describe('direct quota as a source', () => {
  it('is pending before the first query', () => {
    expect(tallyOf()).toEqual({ outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null })
  })

  it('is good when a login is refused, for the query got through', () => {
    expect(tallyOf(refused)).toMatchObject({
      outcome: { kind: 'ok', at: fromNow(0) },
      failuresInARow: 0,
      lastGood: { value: { succeeded: 0, failed: 1, recentFailed: 0, recentCount: 1 } },
    })
  })

  it.each<{ result: ProbeResult; code: string }>([
    { result: broken, code: 'timeout' },
    {
      result: { kind: 'blocked', httpStatus: 403 } as ProbeResult,
      code: 'blocked_by_vendor',
    },
    {
      result: { kind: 'throttled', httpStatus: 429, retryAfterSeconds: 7 } as ProbeResult,
      code: 'throttled',
    },
  ])('has failed as $code when no query got through', ({ result, code }) => {
    expect(tallyOf(result, result)).toEqual({
      outcome: { kind: 'failed', code, at: fromNow(1) },
      failuresInARow: 2,
      lastGood: null,
    })
  })

  it('stays good while one of the newest twenty queries got through', () => {
    expect(tallyOf(sample, ...times(19, broken))).toMatchObject({
      outcome: { kind: 'ok', at: fromNow(0) },
      failuresInARow: 19,
      lastGood: { value: { succeeded: 1, failed: 19, recentFailed: 19, recentCount: 20 } },
    })
    expect(tallyOf(sample, ...times(20, broken))).toMatchObject({
      outcome: { kind: 'failed', code: 'timeout' },
      lastGood: { at: fromNow(0), value: { recentFailed: 20, recentCount: 20 } },
    })
  })

  it('is good again with the first query that gets through', () => {
    expect(tallyOf(...times(30, broken), sample)).toMatchObject({
      outcome: { kind: 'ok', at: fromNow(30) },
      failuresInARow: 0,
      lastGood: { value: { succeeded: 1, failed: 30, recentFailed: 19, recentCount: 20 } },
    })
  })
})
