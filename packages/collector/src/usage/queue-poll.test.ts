import { Redacted } from '@svc/core/service'
import { fromNow, NOW, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { anIngestedUsage } from '../testing/an-ingested-usage.ts'
import { aRecordingSink } from '../testing/recording-sink.ts'
import { withoutResp } from '../testing/without-resp.ts'
import { createQueuePoll } from './queue-poll.ts'
import type { SinkRefusal } from './usage-sink.ts'

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
  /** `next`: answers to the pops after the first. */
  const proxy: { answer: string | UpstreamError; next: (string | UpstreamError)[] } = {
    answer: '[]',
    next: [],
  }
  const clock = virtualClock(async () => {
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
  })
  const slow: { until: Promise<void> | null } = { until: null }
  const used: string[] = []
  const poll = createQueuePoll({
    client: {
      get: async () => ({ body: {}, receivedAt: NOW, proxyNow: NOW }),
      async take(route, _call, chunk, query = '') {
        sink.calls.push(route + query)
        await slow.until
        const { answer } = proxy
        proxy.answer = proxy.next.shift() ?? answer
        if (answer instanceof UpstreamError) throw answer
        for (const letter of answer) chunk(Buffer.from(letter))
        return { receivedAt: NOW, proxyNow: NOW }
      },
      post: () => Promise.reject(new Error('nothing is posted')),
      resp: withoutResp,
      facts: () => ({
        version: null,
        generation: 'v0',
        loadsPlugins: null,
        clockSkewSeconds: null,
      }),
    },
    gate: { call: (send) => send(new Redacted('key')) },
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
    clock,
    slow,
    ask: () => poll.poll(stopping.signal),
  }
}

/** The same queue after many records in ten seconds, so that pops share a transaction. */
async function aFastQueue() {
  const queue = aQueue({ lastPollAt: fromNow(-5) })
  queue.store.ingest = () => fullOf(10_001)
  await queue.ask()
  queue.calls.splice(0)
  queue.used.splice(0)
  queue.store.ingest = () => EMPTY
  const popping = () => queue.calls.filter((call) => call.startsWith('usageQueue')).length
  return {
    ...queue,
    popping,
    /** A poll with enough time for all its pops. */
    async askAtLeisure() {
      const asked = queue.ask()
      asked.catch(() => undefined)
      await queue.clock.advance(2_000)
      return asked
    },
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
      throw new Error('the disk is full')
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

/** The clock stands still, so the last read was at 0 s. */
const LOST_NOW = 'gap batch_lost from 0 s to 0 s'

describe('pops of a fast queue', () => {
  const TWO = ['usageQueue?count=2000', 'usageQueue?count=2000']

  it('share a transaction, under one mark', async () => {
    const { askAtLeisure, calls, proxy, used, store, poll } = await aFastQueue()
    Object.assign(proxy, { answer: '[1]', next: ['[2]'] })
    store.ingest = () => fullOf(4_000)
    await askAtLeisure()

    expect(calls).toEqual(['mark pop', 'pop', ...TWO, 'store [1] and [2]'])
    expect(used).toEqual(['4000 false'])
    expect(poll.moreWait()).toBe(true)
  })

  it('begin a tenth of a second apart, those of the next transaction too', async () => {
    const { ask, clock, popping, store } = await aFastQueue()
    store.ingest = () => fullOf(4_000)
    const asked = ask()
    const seen: number[] = []
    for (const ms of [99, 1, 99, 1]) {
      await clock.advance(ms)
      seen.push(popping())
    }
    await asked
    const askedAgain = ask()
    await clock.advance(99)
    seen.push(popping())
    await clock.advance(1_000)
    await askedAgain

    expect(seen).toEqual([0, 1, 1, 2, 2])
    expect(popping()).toBe(4)
  })

  it('are stored after a second, however few they are', async () => {
    const { ask, calls, clock, proxy, slow } = await aFastQueue()
    let answer = () => {}
    proxy.answer = '[1]'
    slow.until = new Promise((resolve) => {
      answer = resolve
    })
    const asked = ask()
    await clock.advance(1_100)
    answer()
    slow.until = null
    await asked

    expect(calls).toEqual(['mark pop', 'pop', TWO[0], 'store [1]'])
  })

  it('are stored at once when the program stops', async () => {
    const { ask, calls, clock, proxy, stopping } = await aFastQueue()
    Object.assign(proxy, { answer: '[1]', next: ['[2]'] })
    const asked = ask()
    await clock.advance(150)
    stopping.abort()
    await asked

    expect(calls).toEqual(['mark pop', 'pop', TWO[0], 'store [1]'])
  })

  it('are stored by who took them when another monitor takes over', async () => {
    const { ask, calls, clock, proxy, store } = await aFastQueue()
    proxy.answer = '[1]'
    const asked = ask()
    await clock.advance(150)
    store.refusal = 'standby'
    await clock.advance(100)
    await asked

    expect(calls).toEqual(['mark pop', 'pop', TWO[0], 'store [1]'])
  })

  it.each([
    { why: 'cut off', failure: new UpstreamError('timeout', 'no'), gaps: [LOST_NOW] },
    {
      why: 'never sent',
      failure: new UpstreamError('dns', 'no', { wasSent: false }),
      gaps: [],
    },
  ])('before one that is $why are stored: gaps $gaps', async ({ failure, gaps }) => {
    const { askAtLeisure, calls, proxy } = await aFastQueue()
    Object.assign(proxy, { answer: '[1]', next: [failure] })

    await expect(askAtLeisure()).rejects.toBe(failure)
    expect(calls).toEqual(['mark pop', 'pop', TWO[0], TWO[1], 'store [1]', ...gaps])
  })

  it('stay in hand until the store takes them, and a gap after them is recorded then', async () => {
    const { askAtLeisure, calls, proxy, store } = await aFastQueue()
    Object.assign(proxy, { answer: '[1]', next: [new UpstreamError('timeout', 'no')] })
    store.ingest = () => {
      throw new Error('the disk is full')
    }
    await expect(askAtLeisure()).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(calls.filter((call) => call.startsWith('gap'))).toEqual([])
    calls.splice(0)

    store.ingest = () => EMPTY
    proxy.answer = '[]'
    await askAtLeisure()
    expect(calls.slice(0, 2)).toEqual(['store [1]', LOST_NOW])
  })

  it('are 4,000 records in hand at most, however often the store fails', async () => {
    const { askAtLeisure, calls, proxy, store } = await aFastQueue()
    proxy.answer = '[1]'
    const inHand = () =>
      calls
        .filter((call) => call.startsWith('usageQueue'))
        .reduce((sum, call) => sum + Number(call.split('=')[1]), 0)
    store.ingest = () => {
      throw new Error('the disk is full')
    }
    for (let round = 0; round < 5; round += 1)
      await expect(askAtLeisure()).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(inHand()).toBe(4_000)

    store.ingest = () => EMPTY
    await askAtLeisure()
    expect(calls.filter((call) => call === 'store [1] and [1]').length).toBeGreaterThan(5)
  })

  it('of which one is no list cost that one alone', async () => {
    const { askAtLeisure, calls, proxy, store } = await aFastQueue()
    Object.assign(proxy, { answer: '{}', next: ['[2]'] })
    store.ingest = (text) => (text.includes('{}') ? null : EMPTY)

    await expect(askAtLeisure()).rejects.toMatchObject({ code: 'bad_payload' })
    expect(calls.slice(4)).toEqual([
      'store {} and [2]',
      'store {}',
      'gap batch_lost from -5 s to 0 s',
      'store [2]',
    ])
  })
})
