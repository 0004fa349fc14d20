import type { IncomingHttpHeaders } from 'node:http'
import { fromNow } from '@svc/core/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { serveMonitor } from '../testing/monitor.ts'

interface Question {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let questions: Question[] = []
let reply: {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}
const STARTED = new Date(fromNow(0)).toISOString()

serveMonitor((request, response) => {
  let body = ''
  request.on('data', (part) => {
    body += part
  })
  request.on('end', () => {
    if (request.method === 'POST') questions.push({ headers: request.headers, body })
    const {
      status,
      body: text,
      headers,
    } = request.method === 'POST' ? reply : { status: 503, body: '{}', headers: {} }
    response.writeHead(status, { Connection: 'close', ...headers }).end(text)
  })
})
beforeEach(() => {
  vi.resetModules()
  Object.assign(document, { hidden: true })
  questions = []
  reply = { status: 202, body: JSON.stringify({ startedAt: STARTED }) }
})
afterEach(() => {
  sessionStorage.removeItem('quota.pressed')
  document.head.replaceChildren()
})

/** Loads the page with these values from the service in its head. */
async function pageWith(head: Readonly<Record<string, string>> = {}) {
  for (const [name, content] of Object.entries(head)) {
    const meta = document.createElement('meta')
    meta.setAttribute('name', name)
    Object.assign(meta, { content })
    document.head.append(meta)
  }
  return {
    ...(await import('./refresh.ts')),
    ...(await import('./live-data.ts')),
  }
}

type Page = Awaited<ReturnType<typeof pageWith>>

const run = (changes: Readonly<Record<string, unknown>>) =>
  ({
    summary: {
      manualRefresh: {
        status: 'completed',
        scope: 'default',
        startedAt: STARTED,
        queued: 3,
        done: 3,
        failed: 0,
        error: '',
        ...changes,
      },
    },
  }) as never

describe('a refresh that is asked for here', () => {
  it('names what is to be asked, and shows the token of the page', async () => {
    const { refresh, asking } = await pageWith({
      'refresh-auth': 'page-token',
      'refresh-token': 'secret-of-the-page',
    })
    await refresh('disabled-diagnostics')

    expect(questions.map(({ body }) => JSON.parse(body))).toEqual([
      { scope: 'disabled-diagnostics' },
    ])
    expect(questions[0]?.headers['x-svc-quota-monitor-refresh-token']).toBe('secret-of-the-page')
    expect(asking.value).toBe(true)
  })

  it('shows no token where the service wants none', async () => {
    const { refresh } = await pageWith({ 'refresh-auth': 'none', 'refresh-token': 'unused' })
    await refresh('default')

    expect(questions[0]?.headers['x-svc-quota-monitor-refresh-token']).toBeUndefined()
  })

  it('is not sent where the service wants its management key, which no page has', async () => {
    const { refresh, outcome } = await pageWith({ 'refresh-auth': 'management-key' })
    await refresh('default')

    expect(questions).toHaveLength(0)
    expect(outcome.value).toEqual({
      text: 'Refresh from this page is off: manual_quota_refresh_auth is management-key.',
      isGood: false,
      accountKey: null,
    })
  })

  it('is not sent twice while one is under way', async () => {
    const { refresh, status } = await pageWith()
    status.value = run({ status: 'running' })
    await refresh('default')

    expect(questions).toHaveLength(0)
  })

  it.each([
    { status: 403, text: 'This host name is not allowed. Add it to allowed_hosts.' },
    { status: 503, text: 'Refresh is off: no management key. Run `svc-quota-monitor doctor`.' },
    { status: 404, text: 'The monitor knows this account no more.' },
    { status: 413, text: 'The monitor answered with status 413.' },
    { status: 500, text: 'The monitor answered with status 500.' },
  ])('that is turned away with $status says why', async ({ status, text }) => {
    const { refresh, outcome, asking } = await pageWith()
    reply = { status, body: '{}' }
    await refresh('default')

    expect(outcome.value).toEqual({ text, isGood: false, accountKey: null })
    expect(asking.value).toBe(false)
  })

  it.each([
    { holder: 'host-b:4515', text: /asks the vendor: host-b:4515\./ },
    { holder: null, text: /asks the vendor\. Refresh there\./ },
  ])(
    'says that another monitor asks, where the service stands by: $holder',
    async ({ holder, text }) => {
      reply = { status: 503, body: JSON.stringify({ ok: false, status: 'standby', holder }) }
      const { refresh, outcome } = await pageWith()
      await refresh('default')

      expect(outcome.value?.text).toMatch(text)
    },
  )

  it('says that nobody answers while a part of the monitor is being replaced', async () => {
    const { refresh, outcome, asking } = await pageWith()
    reply = { status: 503, body: '{}', headers: { 'Retry-After': '1' } }
    await refresh('default')

    expect([outcome.value?.text, asking.value]).toEqual(['The monitor does not answer.', false])
  })

  it('says that nobody answers', async () => {
    const { refresh, outcome } = await pageWith()
    reply = { status: 202, body: 'cut off' }
    await refresh('default')

    expect(outcome.value?.text).toBe('The monitor does not answer.')
  })

  it.each([
    { what: 'of all', press: (page: Page) => page.refresh('default'), body: { scope: 'default' } },
    {
      what: 'of one account',
      press: (page: Page) => page.refreshAccount('c3ae'),
      body: { scope: 'account', accountKey: 'c3ae' },
    },
  ])(
    '$what reloads a page whose token is of another process, and is repeated there',
    async (row) => {
      reply = { status: 401, body: '{}' }
      const first = await pageWith()
      await row.press(first)
      expect(first.outcome.value?.text).toBe('This page is out of date. Reloading.')

      vi.resetModules()
      const second = await pageWith()
      reply = { status: 202, body: JSON.stringify({ startedAt: STARTED }) }
      second.repeatPressed()
      await expect.poll(() => questions.length).toBe(2)
      expect(questions.map(({ body }) => JSON.parse(body))).toEqual([row.body, row.body])

      vi.resetModules()
      const third = await pageWith()
      third.repeatPressed()
      expect([third.asking.value, questions.length]).toEqual([false, 2])
    },
  )

  it('that is refused again after the reload is not repeated a second time', async () => {
    reply = { status: 401, body: '{}' }
    await (await pageWith()).refreshAccount('c3ae')
    vi.resetModules()
    const second = await pageWith()
    second.repeatPressed()
    await expect
      .poll(() => second.outcome.value)
      .toEqual({
        text: 'The refresh was refused again after reloading this page.',
        isGood: false,
        accountKey: 'c3ae',
      })

    expect(sessionStorage.getItem('quota.pressed')).toBeNull()
  })

  it('is not repeated by a tab that is opened again a minute later', async () => {
    reply = { status: 401, body: '{}' }
    await (await pageWith()).refresh('default')
    const kept = JSON.parse(sessionStorage.getItem('quota.pressed') ?? '{}')
    sessionStorage.setItem('quota.pressed', JSON.stringify({ ...kept, atMs: kept.atMs - 60_000 }))
    vi.resetModules()
    const second = await pageWith()
    second.repeatPressed()

    expect([second.asking.value, sessionStorage.getItem('quota.pressed')]).toEqual([false, null])
  })
})

describe('a cancel', () => {
  it('is sent while a refresh is under way, also one that somebody else began', async () => {
    const { cancelRefresh, outcome, status, asking } = await pageWith()
    status.value = run({ status: 'running' })
    await cancelRefresh()
    expect(questions.map(({ body }) => JSON.parse(body))).toEqual([{ cancel: true }])
    expect(asking.value).toBe(false)
    status.value = run({ status: 'partial', reason: 'cancelled', done: 2, failed: 1 })

    expect(outcome.value).toEqual({
      text: 'Cancelled: 1 of 3 refreshed',
      isGood: true,
      accountKey: null,
    })
  })

  it('is known at once, is not sent twice, and is over with the refresh', async () => {
    const { cancelRefresh, cancelling, status } = await pageWith()
    status.value = run({ status: 'running' })
    const first = cancelRefresh()
    expect(cancelling.value).toBe(true)
    await Promise.all([first, cancelRefresh()])
    expect([questions.length, cancelling.value]).toEqual([1, true])
    status.value = run({ status: 'partial', reason: 'cancelled', done: 2, failed: 1 })

    expect(cancelling.value).toBe(false)
  })

  it('is known to have failed', async () => {
    const { cancelRefresh, cancelling, outcome, status } = await pageWith()
    status.value = run({ status: 'running' })
    reply = { status: 500, body: '' }
    await cancelRefresh()

    expect([cancelling.value, outcome.value?.isGood]).toEqual([false, false])
  })

  it.each(['idle', 'completed', 'failed'])('is not sent when the last one is %s', async (last) => {
    const { cancelRefresh, status } = await pageWith()
    status.value = run({ status: last })
    await cancelRefresh()

    expect(questions).toEqual([])
  })

  it('that comes too late has no outcome', async () => {
    const { cancelRefresh, outcome, status } = await pageWith()
    status.value = run({ status: 'running' })
    reply = { status: 202, body: JSON.stringify({ status: 'idle', startedAt: null }) }
    await cancelRefresh()
    status.value = run({ status: 'idle', startedAt: null })

    expect(outcome.value).toBeNull()
  })
})

describe('the end of a refresh', () => {
  it.each([
    { end: {}, text: 'Refreshed 3 accounts', isGood: true },
    { end: { done: 1 }, text: 'Refreshed 1 account', isGood: true },
    { end: { status: 'partial', failed: 1 }, text: 'Refreshed 2, 1 failed', isGood: false },
    {
      end: { scope: 'disabled-diagnostics' },
      text: 'Probed 3 disabled accounts',
      isGood: true,
    },
    {
      end: { scope: 'disabled-diagnostics', status: 'partial', failed: 2 },
      text: 'Probed 1, 2 failed',
      isGood: false,
    },
    {
      end: { status: 'failed', failed: 3, error: 'the vendor is busy.' },
      text: 'Refresh failed: the vendor is busy.',
      isGood: false,
    },
    {
      end: { status: 'failed', failed: 3 },
      text: 'Refresh failed: no account answered.',
      isGood: false,
    },
    { end: { queued: 0, done: 0 }, text: 'There was no account to ask about.', isGood: false },
    {
      end: { status: 'failed', failed: 1, reason: 'asked_lately', error: 'Asked already.' },
      text: 'Refresh failed: Asked already.',
      isGood: false,
    },
  ])('reads "$text"', async ({ end, text, isGood }) => {
    const { refresh, outcome, status, asking, hurried } = await pageWith()
    await refresh('default')
    expect(hurried.value).toBe(true)

    status.value = run({ status: 'running', done: 1 })
    expect([outcome.value, asking.value, hurried.value]).toEqual([null, false, false])

    status.value = run(end)
    expect(outcome.value).toEqual({ text, isGood, accountKey: null })
  })

  it('names the address that does not answer, where no list can be read', async () => {
    const { refresh, outcome, status, health } = await pageWith()
    const summary = 'No connection to the proxy at http://127.0.0.1:8999.'
    const list = { kind: 'source', id: 'accounts', tone: 'bad', summary } as const
    health.value = { sources: [list], actions: [] } as unknown as typeof health.value
    await refresh('default')
    status.value = run({ queued: 0, done: 0 })

    expect(outcome.value?.text).toBe(`Refresh failed: ${summary}`)
  })

  it('of one account is shown beside that account', async () => {
    const { refreshAccount, outcome, status } = await pageWith()
    await refreshAccount('c3ae')
    status.value = run({ scope: 'account', accountKey: 'c3ae', queued: 1, done: 1 })

    expect(outcome.value).toMatchObject({ text: 'Refreshed 1 account', accountKey: 'c3ae' })
  })

  it('is not waited for when the monitor has forgotten it while it ran', async () => {
    const { refresh, outcome, status, asking } = await pageWith()
    await refresh('default')
    status.value = run({ status: 'running' })
    status.value = run({ status: 'idle', startedAt: null })

    expect([asking.value, outcome.value?.text]).toEqual([
      false,
      'The refresh was lost: the monitor has restarted.',
    ])
  })

  it('is not waited for when the third answer still knows nothing of it', async () => {
    const { refresh, outcome, status, asking } = await pageWith()
    await refresh('default')
    for (const isStillAwaited of [true, true, false]) {
      status.value = run({ status: 'idle', startedAt: null })
      expect([asking.value, outcome.value === null]).toEqual([isStillAwaited, isStillAwaited])
    }
  })

  it('hears of the refresh that was asked for, not of one before it', async () => {
    const { refresh, outcome, status } = await pageWith()
    await refresh('default')
    status.value = run({ startedAt: new Date(fromNow(-60)).toISOString() })

    expect(outcome.value).toBe(null)
  })

  it('is shown once, and not for a refresh that somebody else asked for', async () => {
    const { refresh, outcome, status } = await pageWith()
    status.value = run({})
    expect(outcome.value).toBe(null)

    await refresh('default')
    status.value = run({})
    outcome.value = null
    status.value = run({ done: 2 })
    expect(outcome.value).toBe(null)
  })
})
