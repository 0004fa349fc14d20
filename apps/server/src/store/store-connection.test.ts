import type { HistoryState } from '@svc/core/service'
import { silentLog, type VirtualClock, virtualClock } from '@svc/core/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createStoreConnection, type StoreConnection } from './store-connection.ts'
import { createStoreState, type StoreState } from './store-state.ts'
import type { OpenRequest } from './store-threads.ts'

const PLACE = { location: '/store.db', passwordFile: null, replica: null }

/** A writing thread whose store does as it is told: each call is answered, fails with a code, or ends the thread; of a list the last one stays. */
type Answers = Readonly<Record<string, string | readonly string[]>>

const threadDoing = (answers: Answers): URL => {
  const code = `
    import { parentPort } from 'node:worker_threads'
    const answers = ${JSON.stringify(answers)}
    parentPort.on('message', ({ id, method, args }) => {
      const next = answers[method] ?? 'fine'
      const answer = typeof next === 'string' ? next : next.length > 1 ? next.shift() : next[0]
      if (answer === 'ends') process.exit(1)
      if (id === null) return
      parentPort.postMessage(
        answer === 'fine'
          ? { answers: id, ok: true, value: method === 'open' ? { request: args[0] } : null }
          : { answers: id, ok: false, code: answer, detail: null },
      )
    })`
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`)
}

let clock: VirtualClock
let state: StoreState
let connection: StoreConnection
let requests: OpenRequest[]
let told: string[]
beforeEach(() => {
  clock = virtualClock(async () => undefined)
  requests = []
  told = []
})
afterEach(async () => {
  await connection.stop()
})

function connect(answers: Answers = {}) {
  state = createStoreState({
    engine: 'sqlite',
    clock,
    log: silentLog,
    onState() {},
    onAnswering() {},
  })
  connection = createStoreConnection({
    place: PLACE,
    engine: 'sqlite',
    workerUrl: threadDoing(answers),
    held: () => null,
    clock,
    state,
    onOpening(opened) {
      requests.push((opened as unknown as { readonly request: OpenRequest }).request)
      told.push(`opening, ${state.now().kind}`)
    },
    onOpen: (_, isFirst) => void told.push(`open, ${state.now().kind}, first ${isFirst}`),
    onFailure: () => void told.push('failed'),
  })
  connection.start()
}
const reached = (expected: string) =>
  expect
    .poll(() => {
      const now = state.now()
      return now.kind === 'failing' ? now.code : now.kind
    })
    .toBe(expected)
const opened = async () => {
  await clock.advance(100)
  await reached('ok')
}

describe('the connection to the store', () => {
  it('is opened a moment after the start, and told before and after it counts as usable', async () => {
    connect()
    await clock.advance(99)
    expect(requests).toEqual([])
    await clock.advance(1)
    await reached('ok')

    expect(told).toEqual(['opening, opening', 'open, ok, first true'])
    expect(requests).toMatchObject([{ place: PLACE, isFirst: true, thorough: false }])
  })

  it('refuses questions before it is open', async () => {
    connect()

    await expect(
      connection.ask((asked) => asked.call('clearPop', ['default'])),
    ).rejects.toMatchObject({
      code: 'cannot_open',
    })
  })

  it('that cannot be opened is tried at once when somebody asks for it, and sooner from then on', async () => {
    connect({ open: 'login_refused' })
    await clock.advance(100)
    await reached('login_refused')
    const failures = () => told.filter((one) => one === 'failed').length
    await clock.advance(2_000)
    await expect.poll(failures).toBe(2)

    connection.retry()
    // What is under way is not asked for twice.
    connection.retry()
    await expect.poll(failures).toBe(3)
    await clock.advance(2_000)
    await expect.poll(failures).toBe(4)
  })

  it('that is being opened when somebody asks for it is tried again soon where that fails', async () => {
    connect({ open: 'unreachable' })
    const failures = () => told.filter((one) => one === 'failed').length
    for (const [count, seconds] of [0.1, 2, 4, 8].entries()) {
      await clock.advance(seconds * 1_000)
      await expect.poll(failures).toBe(count + 1)
    }
    // The thread has no time to answer before.
    await clock.advance(16_000)
    connection.retry()
    await expect.poll(failures).toBe(5)
    await clock.advance(2_000)
    await expect.poll(failures).toBe(6)
  })

  it('that is open is left alone when somebody asks for it', async () => {
    connect()
    await opened()
    connection.retry()
    await clock.advance(60_000)

    expect(told).toEqual(['opening, opening', 'open, ok, first true'])
  })

  it.each([
    { why: 'that is back', seconds: 60, again: 'fine', seen: ['opening', 'ok'] },
    { why: 'that is still away', seconds: 60, again: 'locked', seen: ['opening', 'failing'] },
    { why: 'that was reached a moment ago', seconds: 59, again: 'fine', seen: ['failing'] },
  ])('to a server $why when a connection is found lost becomes $seen', async (row) => {
    connect({ open: ['fine', row.again], clearPop: 'unreachable' })
    await opened()
    await clock.advance(row.seconds * 1_000)
    const { become } = state
    const seen: string[] = []
    Object.assign(state, {
      become(next: HistoryState) {
        seen.push(next.kind)
        become(next)
      },
    })
    await connection.ask((asked) => asked.call('clearPop', ['default'])).catch(() => undefined)

    await expect.poll(() => seen).toEqual(row.seen)
  })

  it('to a server that is away for longer than a restart takes fails then, not before', async () => {
    connect({ open: ['fine', 'unreachable'], clearPop: 'unreachable' })
    await opened()
    await clock.advance(60_000)
    const { watch } = state
    let answered = 0
    Object.assign(state, {
      watch: (call: Promise<unknown>) =>
        watch(call).finally(() => {
          answered += 1
        }),
    })
    await connection.ask((asked) => asked.call('clearPop', ['default'])).catch(() => undefined)
    for (let opening = 1; opening <= 20; opening += 1) {
      await expect.poll(() => answered).toBe(1 + opening)
      expect(state.now().kind).toBe('opening')
      await clock.advance(500)
    }

    await reached('unreachable')
  })

  it.each([
    { code: 'disk_full', thorough: false },
    { code: 'corrupt', thorough: true },
    { code: 'io_error', thorough: true },
  ])(
    'is opened anew two seconds after $code, every page read: $thorough',
    async ({ code, thorough }) => {
      connect({ clearPop: code })
      await opened()
      await expect(
        connection.ask((asked) => asked.call('clearPop', ['default'])),
      ).rejects.toMatchObject({
        code,
      })
      expect(state.now()).toMatchObject({ kind: 'failing', code })
      await clock.advance(1_999)
      expect(requests).toHaveLength(1)
      await clock.advance(1)
      await reached('ok')

      expect(requests[1]).toMatchObject({ isFirst: false, thorough })
      expect(told.slice(2)).toEqual(['failed', 'opening, failing', 'open, ok, first false'])
    },
  )

  it('fails once, however many calls fail with it', async () => {
    connect({ clearPop: 'disk_full' })
    await opened()
    const calls = [1, 2, 3].map(() =>
      connection.ask((asked) => asked.call('clearPop', ['default'])),
    )

    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'rejected',
    ])
    expect(told.filter((each) => each === 'failed')).toHaveLength(1)
  })

  it('waits twice as long after each opening that fails, a minute at most', async () => {
    connect({ open: 'locked' })
    await clock.advance(100)
    await reached('locked')
    for (const [failures, seconds] of [2, 4, 8, 16, 32, 60, 60].entries()) {
      await clock.advance(seconds * 1_000 - 1)
      expect(told).toHaveLength(failures + 1)
      await clock.advance(1)
      await expect.poll(() => told.length).toBe(failures + 2)
    }
  })

  it('starts another thread in place of one that has ended', async () => {
    connect({ clearPop: 'ends' })
    await opened()
    await expect(
      connection.ask((asked) => asked.call('clearPop', ['default'])),
    ).rejects.toMatchObject({
      code: 'crashed',
    })
    await reached('crashed')
    await clock.advance(2_000)
    await reached('ok')

    expect(requests).toHaveLength(2)
  })

  it('is closed and opened by a reader that has met damage, and thoroughly', async () => {
    connect()
    await opened()
    connection.damaged('corrupt')
    connection.damaged('corrupt')
    expect(told.filter((each) => each === 'failed')).toHaveLength(1)
    await clock.advance(2_000)
    await reached('ok')

    expect(requests[1]).toMatchObject({ thorough: true })
  })

  it('is not opened any more once it is stopped', async () => {
    connect({ clearPop: 'disk_full' })
    await opened()
    await connection.ask((asked) => asked.call('clearPop', ['default'])).catch(() => undefined)

    expect(await connection.stop()).toBe(true)
    await clock.advance(600_000)
    expect(requests).toHaveLength(1)
  })

  it('that never began is stopped at once', async () => {
    connect()

    expect(await connection.stop()).toBe(true)
    await clock.advance(600_000)
    expect(told).toEqual([])
  })
})
