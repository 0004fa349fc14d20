import type { IncomingMessage, ServerResponse } from 'node:http'
import { NOW } from '@svc/core/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { dispatch, setNow } from '../testing/browser.ts'
import { serveMonitor } from '../testing/monitor.ts'
import { kiosk } from './display-state.ts'
import {
  browserMs,
  calmMs,
  connection,
  elapsedSeconds,
  followMonitor,
  health,
  isSilent,
  noteStatusVersion,
  pollNow,
  serverMs,
  shownMs,
  status,
} from './live-data.ts'

/** Answers of the test's monitor; `asked` lists the requested paths with their validators. */
let answer: (request: IncomingMessage, response: ServerResponse) => void
let asked: string[] = []

const idle = { summary: { manualRefresh: { status: 'idle' } } }
const answering =
  (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response
      .writeHead(200, { 'Content-Type': 'application/json', Connection: 'close', ...headers })
      .end(JSON.stringify(body))

serveMonitor((request, response) => {
  asked.push(`${request.url} ${request.headers['if-none-match'] ?? '-'}`)
  answer(request, response)
})
beforeAll(async () => {
  // Requests are sent only when a test advances time, and reading an answer costs no time.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval'] })
  vi.spyOn(performance, 'now').mockReturnValue(0)
})
afterAll(() => {
  vi.useRealTimers()
  Object.assign(document, { hidden: false })
  setNow(NOW)
  browserMs.value = NOW
  status.value = null
  health.value = null
})

/** Runs a task that starts one poll of status and health; resolves when both have an outcome. */
async function roundOf(task: () => void): Promise<void> {
  const before = connection.value
  task()
  await expect.poll(() => connection.value !== before).toBe(true)
}

const pollOnce = () => roundOf(pollNow)

beforeEach(() => {
  Object.assign(document, { hidden: false })
  asked = []
  setNow(NOW)
  browserMs.value = NOW
})

describe('the talk with the monitor', () => {
  it('takes what it answers, and says when that was', async () => {
    answer = (request, response) =>
      answering({ ...idle, is: request.url }, { Date: new Date(NOW).toUTCString() })(
        request,
        response,
      )
    await pollOnce()

    expect([status.value, health.value]).toEqual([
      { ...idle, is: '/api/v1/status' },
      { ...idle, is: '/api/v1/health' },
    ])
    expect(connection.value).toMatchObject({ failingSinceMs: null, lastAnswerMs: NOW })
    // Longer only if this machine took long to read the answer.
    expect(connection.value.nextTryMs).toBeGreaterThanOrEqual(NOW + 5_000)
  })

  it.each([
    { costMs: 100, restMs: 5_000 },
    { costMs: 1_000, restMs: 20_000 },
    { costMs: 10_000, restMs: 60_000 },
  ])('rests for $restMs ms after an answer that cost $costMs ms', async ({ costMs, restMs }) => {
    answer = (request, response) => {
      vi.mocked(performance.now).mockReturnValue(costMs)
      answering(idle)(request, response)
    }
    await pollOnce()
    vi.mocked(performance.now).mockReturnValue(0)

    expect(connection.value.nextTryMs).toBe(NOW + restMs)
  })

  it('shows the validator of the answer it has, and keeps that answer when told it is current', async () => {
    answer = answering({ ...idle, is: 'first' }, { ETag: '"one"' })
    await pollOnce()
    const kept = status.value

    answer = (_, response) => void response.writeHead(304, { Connection: 'close' }).end()
    asked = []
    await pollOnce()

    expect(asked.sort()).toEqual(['/api/v1/health "one"', '/api/v1/status "one"'])
    expect(status.value).toBe(kept)
  })

  it.each([
    { what: 'a status that is no success', reply: 500 },
    { what: 'a body that is no JSON', reply: 'oops' },
    { what: 'a connection that is cut', reply: null },
  ])('counts $what as a failure and keeps the last numbers', async ({ reply }) => {
    answer = answering({ ...idle, is: 'good' })
    await pollOnce()
    const kept = status.value

    answer = (_, response) => {
      if (reply === null) response.destroy()
      else if (typeof reply === 'number')
        response.writeHead(reply, { Connection: 'close' }).end('{}')
      else response.writeHead(200, { Connection: 'close' }).end(reply)
    }
    setNow(NOW + 1_000)
    await pollOnce()

    expect(status.value).toBe(kept)
    expect(connection.value).toMatchObject({ failingSinceMs: NOW + 1_000, lastAnswerMs: NOW })
  })

  it('tries again later and later, a minute and a fifth at most, and is content with the first answer', async () => {
    answer = answering(idle)
    await pollOnce()
    answer = (_, response) => void response.destroy()
    const waits: number[] = []
    for (let failure = 1; failure <= 8; failure += 1) {
      await pollOnce()
      waits.push(connection.value.nextTryMs - NOW)
    }

    for (const [index, wait] of waits.entries()) {
      const middle = Math.min(60_000, 1_000 * 2 ** (index + 1))
      expect(wait).toBeGreaterThanOrEqual(middle * 0.8)
      expect(wait).toBeLessThanOrEqual(middle * 1.2)
    }
    expect(connection.value.failingSinceMs).toBe(NOW)

    answer = answering(idle)
    await pollOnce()
    expect(connection.value.failingSinceMs).toBe(null)
  })

  it('asks more often while a refresh is under way', async () => {
    answer = answering({ summary: { manualRefresh: { status: 'running' } } })
    await pollOnce()

    expect(connection.value.nextTryMs).toBe(NOW + 1_000)
  })

  it('asks every five seconds while somebody looks, and once a minute while nobody does', async () => {
    answer = answering(idle)
    await pollOnce()
    asked = []
    await roundOf(() => vi.advanceTimersByTime(5_000))
    expect(asked).toHaveLength(2)

    Object.assign(document, { hidden: true })
    await roundOf(() => vi.advanceTimersByTime(5_000))
    expect(connection.value.nextTryMs).toBe(NOW + 60_000)
    vi.advanceTimersByTime(59_000)
    expect(asked).toHaveLength(4)
    await roundOf(() => vi.advanceTimersByTime(1_000))
    expect(asked).toHaveLength(6)
  })

  it('asks for another choice right after the running request, whatever is announced meanwhile', async () => {
    // Answered at once and without a socket, for no timer may pass meanwhile.
    const fetched = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation(async () => Response.json(idle))
    const ended = async (before: unknown) => {
      while (connection.value === before) await new Promise((resolve) => setImmediate(resolve))
      return connection.value
    }
    const before = connection.value
    pollNow()
    pollNow()
    const first = await ended(before)
    fetched.mockClear()
    noteStatusVersion('other')
    await vi.advanceTimersByTimeAsync(0)

    expect(fetched).toHaveBeenCalledTimes(2)
    await ended(first)
    noteStatusVersion()
    fetched.mockRestore()
  })

  it('asks at once when somebody looks again', async () => {
    answer = answering(idle)
    Object.assign(document, { hidden: true })
    await roundOf(() => void followMonitor())
    asked = []
    Object.assign(document, { hidden: false })
    await roundOf(() => void dispatch(null, 'visibilitychange'))

    expect(asked.map((line) => line.split(' ')[0]).sort()).toEqual([
      '/api/v1/health',
      '/api/v1/status',
    ])
  })
})

it('each answer is validated by its own version, also after a failure', async () => {
  const versioned: typeof answer = (request, response) => {
    const isHealth = request.url?.startsWith('/api/v1/health') === true
    answering(idle, { ETag: isHealth ? '"h1"' : '"s1-br"' })(request, response)
  }
  answer = versioned
  await pollOnce()
  answer = (_, response) => void response.destroy()
  await pollOnce()
  asked = []
  answer = versioned
  await pollOnce()

  expect(asked.sort()).toEqual(['/api/v1/health "h1"', '/api/v1/status "s1-br"'])
})

describe('a monitor that does not answer', () => {
  it.each([
    { what: 'a page that has never had an answer', lastMs: null, failingMs: 0, silent: true },
    { what: 'one missed answer', lastMs: -7_999, failingMs: -3_000, silent: false },
    { what: 'eight seconds without one', lastMs: -8_000, failingMs: -3_000, silent: true },
    {
      what: 'one missed answer of a page that asks once a minute',
      lastMs: -62_000,
      failingMs: -2_999,
      silent: false,
    },
    {
      what: 'a second one of that page',
      lastMs: -64_000,
      failingMs: -4_000,
      silent: true,
    },
  ])('is silent after $what: $silent', ({ lastMs, failingMs, silent }) => {
    connection.value = {
      failingSinceMs: NOW + failingMs,
      lastAnswerMs: lastMs === null ? null : NOW + lastMs,
      nextTryMs: NOW,
    }

    expect(isSilent.value).toBe(silent)
  })

  it('leaves the time of its numbers where it was', () => {
    connection.value = { failingSinceMs: NOW - 60_000, lastAnswerMs: NOW - 60_000, nextTryMs: NOW }
    const atFirst = shownMs.value
    browserMs.value = NOW + 600_000

    expect(shownMs.value).toBe(atFirst)
    expect(calmMs.value - atFirst).toBeGreaterThan(600_000)
    browserMs.value = NOW
  })

  it.each([
    { where: 'a desk', mode: '', isLong: true },
    { where: 'a wall', mode: '1', isLong: false },
  ])('is asked again on $where within 15 s: not $isLong', async ({ mode, isLong }) => {
    kiosk.value = mode
    answer = (_, response) => void response.destroy()
    for (const _ of '12345678') await pollOnce()
    kiosk.value = ''

    expect(connection.value.nextTryMs - NOW > 15_000).toBe(isLong)
  })

  it('is not silent once it answers', async () => {
    answer = answering(idle)
    connection.value = { failingSinceMs: NOW - 60_000, lastAnswerMs: null, nextTryMs: NOW }
    await pollOnce()

    expect(isSilent.value).toBe(false)
  })
})

describe('the time', () => {
  const answeredAt = async (ms: number) => {
    answer = answering(idle, { Date: new Date(ms).toUTCString() })
    await pollOnce()
  }

  it.each([
    { what: 'ahead', aheadMs: 90_000 },
    { what: 'behind', aheadMs: -90_000 },
  ])('is that of the monitor, whose clock is $what', async ({ aheadMs }) => {
    await answeredAt(NOW + aheadMs)

    expect(serverMs.value).toBe(NOW + aheadMs)
    await answeredAt(NOW)
    expect(serverMs.value).toBe(NOW)
  })

  it('does not jump by a second, which is all a date says', async () => {
    await answeredAt(NOW + 2_000)

    expect(serverMs.value).toBe(NOW)
  })

  it('goes in steps of 15 s for what is shown in minutes', async () => {
    await answeredAt(NOW)
    const steps = [0, 14_000, 15_000, 44_000].map((ms) => {
      browserMs.value = NOW + ms
      return [calmMs.value - NOW, elapsedSeconds.value]
    })

    expect(steps).toEqual([
      [0, 0],
      [0, 0],
      [15_000, 15],
      [30_000, 30],
    ])
  })
})
