import { fromNow, NOW, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { aClient, anIngestedUsage, aRecordingSink, openGate } from '../testing/usage-equipment.ts'
import { createQueuePoll } from './queue-poll.ts'
import { refusedBySink, type SinkRefusal } from './usage-sink.ts'

const EMPTY = anIngestedUsage()
const fullOf = (elementCount: number) =>
  anIngestedUsage({
    elementCount,
    tally: { seen: 0, stored: elementCount, duplicate: 0, quarantined: 0, expired: 0 },
  })

/** A queue of a proxy that keeps records for a minute; `proxy.answer` is the answer to the next pop. */
function aQueue({ lastPollAt = null as typeof NOW | null } = {}) {
  const store = {
    ingest: (_: string): ReturnType<typeof anIngestedUsage> | null => EMPTY,
    refusal: null as SinkRefusal | null,
  }
  const sink = {
    ...aRecordingSink({ lastPollAt, ingest: (answer) => store.ingest(answer) }),
    refusal: (): SinkRefusal | null => store.refusal,
  }
  const proxy: { answer: string | UpstreamError } = { answer: '[]' }
  const clock = virtualClock(async () => {
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
  })
  const used: string[] = []
  const poll = createQueuePoll({
    client: aClient({
      get: async () => ({ body: {}, receivedAt: NOW, proxyNow: NOW }),
      async take(route, _call, chunk, query = '') {
        sink.calls.push(route + query)
        const { answer } = proxy
        if (answer instanceof UpstreamError) throw answer
        for (const letter of answer) chunk(Buffer.from(letter))
        return { receivedAt: NOW, proxyNow: NOW }
      },
    }),
    gate: openGate,
    sink,
    clock,
    onPop: () => void sink.calls.push('pop'),
    onForgotten() {},
    onUsage: ({ elementCount }, emptied) => void used.push(`${elementCount} ${emptied}`),
  })
  const stopping = new AbortController()
  return {
    calls: sink.calls,
    proxy,
    store,
    used,
    poll,
    stopping,
    ask: () => poll.poll(stopping.signal),
  }
}

describe('a poll of the queue', () => {
  it('notes that it takes records before it takes them, and stores them as they came', async () => {
    const { ask, calls, used, proxy } = aQueue()
    proxy.answer = '[{"n":1}]'

    expect(await ask()).toEqual({ kind: 'queue', retentionSeconds: 60, counters: null })
    expect(calls).toEqual(['mark pop', 'pop', 'usageQueue?count=500', 'store [{"n":1}]'])
    expect(used).toEqual(['0 true'])
  })

  it.each([
    { lastPollAt: fromNow(-60), gaps: [] },
    { lastPollAt: fromNow(-61), gaps: ['gap retention_exceeded from -61 s to -60 s'] },
    { lastPollAt: fromNow(-3600), gaps: ['gap retention_exceeded from -3600 s to -60 s'] },
  ])('records what the queue has thrown away: $gaps', async ({ lastPollAt, gaps }) => {
    const { ask, calls } = aQueue({ lastPollAt })
    await ask()

    expect(calls.filter((call) => call.startsWith('gap'))).toEqual(gaps)
    expect(calls.indexOf('mark pop')).toBe(gaps.length)
  })

  it('asks for more while it brings as many new records as it asked for', async () => {
    const { ask, calls, poll, used, store } = aQueue()
    for (const count of [500, 1000, 2000, 1999]) {
      store.ingest = () => fullOf(count)
      await ask()
    }

    expect(calls.filter((call) => call.startsWith('usageQueue'))).toEqual(
      [500, 1000, 2000, 2000].map((count) => `usageQueue?count=${count}`),
    )
    expect(used).toEqual(['500 false', '1000 false', '2000 false', '1999 true'])
    expect(poll.moreWait()).toBe(false)
  })

  it.each([
    ['of what is known', 500, 0, 500],
    ['mostly of what is known', 500, 249, 500],
    ['with some that is new', 500, 250, 1000],
    ['but for one', 499, 499, 500],
  ])(
    'that is full %s: the next pop asks for as many as may wait',
    async (_, count, stored, next) => {
      const { ask, calls, store } = aQueue()
      const { tally, ...full } = fullOf(count)
      store.ingest = () => ({ ...full, tally: { ...tally, stored } })
      await ask()
      await ask()

      expect(calls.filter((call) => call.startsWith('usageQueue')).at(-1)).toBe(
        `usageQueue?count=${next}`,
      )
    },
  )

  it('asks for few again after a failure', async () => {
    const { ask, calls, poll, store } = aQueue()
    store.ingest = () => fullOf(500)
    await ask()
    expect(poll.moreWait()).toBe(true)
    poll.noteFailure()
    await ask()

    expect(calls.filter((call) => call.startsWith('usageQueue')).at(-1)).toBe(
      'usageQueue?count=500',
    )
  })
})

it('takes nothing out where another monitor may have taken over while the mark was stored', async () => {
  const { ask, calls, store } = aQueue()
  store.refusal = 'standby'

  await expect(ask()).rejects.toMatchObject({ name: 'SourceError' })
  expect(calls).toEqual(['mark pop', 'clear pop'])
})

describe('a pop that fails', () => {
  const withStatus = (httpStatus: number) => new UpstreamError('server_error', 'no', { httpStatus })

  it.each([
    { why: 'refused', failure: withStatus(503), lost: false },
    { why: 'not found', failure: withStatus(404), lost: false },
    { why: 'cut off within the answer', failure: withStatus(200), lost: true },
    { why: 'never sent', failure: new UpstreamError('dns', 'no', { wasSent: false }), lost: false },
    { why: 'held by the gate', failure: new UpstreamError('banned', 'no'), lost: false },
    { why: 'redirected', failure: new UpstreamError('redirected', 'no'), lost: false },
    { why: 'without an answer', failure: new UpstreamError('timeout', 'no'), lost: true },
  ])('$why: records are lost: $lost', async ({ failure, lost }) => {
    const { ask, calls, proxy } = aQueue({ lastPollAt: fromNow(-5) })
    proxy.answer = failure

    await expect(ask()).rejects.toBe(failure)
    expect(calls.at(-1)).toBe(lost ? 'gap batch_lost from -5 s to 0 s' : 'clear pop')
  })

  it('because the program stops leaves its mark for the next start', async () => {
    const { ask, calls, proxy, stopping } = aQueue()
    proxy.answer = new UpstreamError('unreachable', 'the call was stopped')
    stopping.abort()

    await expect(ask()).rejects.toThrow()
    expect(calls).toEqual(['mark pop', 'pop', 'usageQueue?count=500'])
  })
})

describe('a batch in hand', () => {
  it('that the store does not take is stored before anything more is taken', async () => {
    const { ask, calls, proxy, store, used } = aQueue()
    proxy.answer = '["first"]'
    store.ingest = () => {
      throw refusedBySink('store_unavailable')
    }
    await expect(ask()).rejects.toMatchObject({ name: 'SourceError', code: 'store_unavailable' })
    await expect(ask()).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(calls.filter((call) => call === 'pop')).toHaveLength(1)

    proxy.answer = '["second"]'
    store.ingest = () => EMPTY
    await ask()

    expect(calls.filter((call) => call.startsWith('store'))).toEqual([
      'store ["first"]',
      'store ["first"]',
      'store ["first"]',
      'store ["second"]',
    ])
    expect(used).toHaveLength(2)
  })

  it('that is no list of records is lost, and not tried again', async () => {
    const { ask, calls, proxy, store } = aQueue({ lastPollAt: fromNow(-5) })
    proxy.answer = '{}'
    store.ingest = () => null
    await expect(ask()).rejects.toMatchObject({ code: 'bad_payload' })
    expect(calls.at(-1)).toBe('gap batch_lost from -5 s to 0 s')

    store.ingest = () => EMPTY
    await ask()
    expect(calls.filter((call) => call.startsWith('store'))).toHaveLength(2)
  })
})
