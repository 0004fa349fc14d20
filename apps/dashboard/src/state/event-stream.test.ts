import { NOW } from '@svc/core/testing'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { dispatch, setNow } from '../testing/browser.ts'
import { followEvents } from './event-stream.ts'
import { connection, followMonitor, pollNow } from './live-data.ts'

/** What the page has opened, newest last. */
const streams: FakeEventSource[] = []
class FakeEventSource {
  onerror: (() => void) | null = null
  onopen: (() => void) | null = null
  isOpen = true
  hear: (event: { readonly data: string }) => void = () => undefined
  readonly url: string
  constructor(url: string) {
    this.url = url
    streams.push(this)
  }
  addEventListener(name: string, listener: typeof this.hear) {
    if (name === 'snapshot') this.hear = listener
  }
  close() {
    this.isOpen = false
  }
}
const stream = () => streams.at(-1) as FakeEventSource
const tell = (etag: string | null) => stream().hear({ data: JSON.stringify({ etag }) })

let version = 'v1'
let fails = false
let polls = 0
const askDirectly = globalThis.fetch
let nowMs = NOW as number

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval'] })
  vi.spyOn(performance, 'now').mockReturnValue(0)
  vi.stubGlobal('EventSource', FakeEventSource)
  globalThis.fetch = async (path) => {
    if (String(path).startsWith('/api/v1/status')) polls += 1
    if (fails) throw new TypeError('no answer')
    const body = JSON.stringify({ summary: { manualRefresh: { status: 'idle' } } })
    return new Response(body, { headers: { ETag: `"${version}-br"` } })
  }
  await followMonitor()
  followEvents()
})
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  globalThis.fetch = askDirectly
  setNow(NOW)
})

/** Lets this many seconds pass, one at a time, and what they cause. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    nowMs += 1_000
    setNow(nowMs)
    await vi.advanceTimersByTimeAsync(1_000)
  }
}
async function pollOnce(): Promise<void> {
  const before = connection.value
  pollNow()
  await expect.poll(() => connection.value !== before).toBe(true)
}

beforeEach(async () => {
  fails = false
  version = 'v1'
  Object.assign(document, { hidden: false })
  // Longer than any wait after a lost stream, which one that lasts makes up for.
  await pass(70)
  await pollOnce()
  await pass(70)
  expect(stream().isOpen).toBe(true)
  tell('v1')
  polls = 0
})

it('with the stream, a page polls for a new version at once, and otherwise every 15 s', async () => {
  await pass(12)
  expect(polls).toBe(0)
  version = 'v2'
  tell('v2')
  await vi.advanceTimersByTimeAsync(0)
  expect(polls).toBe(1)
  tell('v2')
  await pass(14)
  expect(polls).toBe(1)
  await pass(2)

  expect(polls).toBe(2)
})

it('a stream that opens shows what was announced before it', async () => {
  version = 'v2'
  stream().onopen?.()
  await vi.advanceTimersByTimeAsync(0)

  expect(polls).toBe(1)
})

it('news in quick succession cause a poll a second, and those during a poll one after it', async () => {
  for (let count = 0; count < 50; count += 1) {
    version = `w${count}`
    tell(version)
    await vi.advanceTimersByTimeAsync(0)
  }
  tell('w50')
  version = 'w50'
  await pass(3)

  expect(polls).toBeGreaterThan(0)
  expect(polls).toBeLessThanOrEqual(3)
})

it('a page whose stream is lost polls as before, and opens it again later each time', async () => {
  const opened = streams.length
  stream().onerror?.()
  expect(stream().isOpen).toBe(false)
  await pass(5)
  expect(polls).toBeGreaterThan(0)
  const gaps: number[] = []
  for (let loss = 0; loss < 6; loss += 1) {
    const before = streams.length
    let seconds = 0
    for (; streams.length === before && seconds < 200; seconds += 1) await pass(1)
    gaps.push(seconds)
    stream().onerror?.()
  }

  expect(streams.length).toBe(opened + 6)
  for (const [index, gap] of gaps.slice(1).entries())
    expect(gap).toBeGreaterThanOrEqual(Math.min(60, gaps[index] ?? 0))
  expect(gaps.at(-1)).toBeGreaterThanOrEqual(60)
})

it('polls that fail close the stream, since it may hang as well', async () => {
  fails = true
  await pollOnce()

  expect(stream().isOpen).toBe(false)
  expect(connection.value.failingSinceMs).not.toBeNull()
})

it('nobody is told while nobody looks', async () => {
  Object.assign(document, { hidden: true })
  dispatch(null, 'visibilitychange')
  expect(stream().isOpen).toBe(false)
  const opened = streams.length
  polls = 0
  await pass(59)
  expect(streams.length).toBe(opened)
  expect(polls).toBeLessThanOrEqual(1)
  Object.assign(document, { hidden: false })
  dispatch(null, 'visibilitychange')

  await expect.poll(() => streams.length).toBe(opened + 1)
})
