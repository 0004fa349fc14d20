import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { type Client, createClient } from './client.ts'
import { filled } from './testing/filled.ts'

type Fetch = NonNullable<Parameters<typeof createClient>[0]['fetch']>

interface Asked {
  readonly url: string
  readonly headers: Headers
  readonly init: RequestInit
}

/** A client whose requests are kept, and answered by `answer`. */
function clientBy(
  answer: (asked: Asked) => Response | Promise<Response>,
  url = 'http://at.example',
) {
  const asked: Asked[] = []
  const fetch: Fetch = async (to, init = {}) => {
    asked.push({ url: String(to), headers: new Headers(init.headers), init })
    return answer(asked.at(-1) as Asked)
  }
  return { client: createClient({ url, fetch }), asked }
}

/** The least answer to a request. */
const answerTo = (url: string) => {
  const [, path = ''] = /api\/v1\/(\w+)/.exec(url) ?? []
  const payloads: Readonly<Record<string, string>> = {
    pick: 'Pick',
    recommendations: 'Recommendations',
    status: 'StatusSnapshot',
    health: 'Health',
  }
  return filled(payloads[path] ?? '')
}

const refusalOf = (init: ResponseInit, more: object = {}) =>
  clientBy(() => Response.json({ ok: false, status: 'slug', error: 'No.', ...more }, init))
    .client.status()
    .catch((error: unknown) => error)

afterEach(() => vi.unstubAllGlobals())

it.each([
  ['http://at.example', 'http://at.example/api/v1/status'],
  ['http://at.example:80/?x=1#y', 'http://at.example/api/v1/status'],
  ['https://at.example/monitor//', 'https://at.example/monitor/api/v1/status'],
])('asks at %s', async (url, expected) => {
  const { client, asked } = clientBy(() => Response.json(filled('StatusSnapshot')), url)
  await client.status()

  expect(asked.map((each) => each.url)).toEqual([expected])
})

it.each([
  ['', 'https://page.example/monitor/api/v1/status'],
  ['/', 'https://page.example/api/v1/status'],
  ['.', 'https://page.example/monitor/api/v1/status'],
])('asks in a page at %j', async (url, expected) => {
  vi.stubGlobal('location', { href: 'https://page.example/monitor/?view=stats' })
  const { client, asked } = clientBy(() => Response.json(filled('StatusSnapshot')), url)
  await client.status()

  expect(asked.map((each) => each.url)).toEqual([expected])
})

it.each(['', '/', 'localhost:4516', 'http://ana:secret@at.example'])(
  'takes no %j as address',
  (url) => {
    expect(() => createClient({ url })).toThrow(TypeError)
    expect(() => createClient({ url })).not.toThrow(/secret/)
  },
)

it('sends what is asked for, and leaves out what is not', async () => {
  const { client, asked } = clientBy(({ url }) => Response.json(answerTo(url)))
  await client.pick({ plan: ['plus', 'pro'], avoid: [], keep: 'a&b' })
  await client.recommendations({ routable: true, limit: 3 })
  await client.pick({ as: 'one', avoid: [], failed: 'ana.json' })
  await client.status({ provider: ['claude', 'kimi'] })
  await client.health({ provider: ['all'] })

  expect(asked.slice(3).map(({ url }) => new URL(url).search)).toEqual([
    '?provider=claude%2Ckimi',
    '?provider=all',
  ])
  expect(asked.slice(0, 2).map(({ url }) => new URL(url).search)).toEqual([
    '?plan=plus%2Cpro&keep=a%26b',
    '?routable=true&limit=3',
  ])
  expect(JSON.parse(String(asked[2]?.init.body))).toEqual({
    as: 'one',
    avoid: [],
    failed: 'ana.json',
  })
})

it('sends what a reverse proxy asks for with every request', async () => {
  const sent: (string | null)[] = []
  const client = createClient({
    url: 'http://at.example',
    headers: { Authorization: 'Basic YTpi' },
    fetch: async (url, init) => {
      sent.push(new Headers(init?.headers).get('Authorization'))
      return Response.json(answerTo(String(url)))
    },
  })
  await client.health()
  await client.pick({ as: 'one' })

  expect(sent).toEqual(['Basic YTpi', 'Basic YTpi'])
})

it('is not sent an answer again that has not changed, and hands out one that nobody has changed', async () => {
  const { client, asked } = clientBy(({ headers }) =>
    headers.get('If-None-Match') === '"1"'
      ? new Response(null, { status: 304 })
      : Response.json(filled('Recommendations', { items: [{ title: 'a' }] }), {
          headers: { ETag: '"1"' },
        }),
  )
  const first = await client.recommendations()
  first.items.length = 0

  expect(await client.recommendations()).toMatchObject({ items: [{ title: 'a' }] })
  expect(asked.map(({ headers }) => headers.get('If-None-Match'))).toEqual([null, '"1"'])
})

it.each<[string, object, object]>([
  ['its slug', refusalOf({ status: 403 }), { slug: 'slug', status: 403, allowed: [] }],
  ['what is allowed', refusalOf({ status: 400 }, { allowed: ['plus'] }), { allowed: ['plus'] }],
  [
    'seconds to wait',
    refusalOf({ status: 503, headers: { 'Retry-After': '5' } }),
    { retryAfterSeconds: 5 },
  ],
  [
    'a time to wait for',
    refusalOf({
      status: 503,
      headers: {
        Date: 'Tue, 10 Mar 2026 12:00:00 GMT',
        'Retry-After': 'Tue, 10 Mar 2026 12:01:30 GMT',
      },
    }),
    { retryAfterSeconds: 90 },
  ],
  [
    'no wait',
    refusalOf({ status: 503, headers: { 'Retry-After': 'soon' } }),
    { retryAfterSeconds: null },
  ],
])('a refusal says %s', async (_title, refusal, expected) => {
  expect(await refusal).toMatchObject({ code: 'refused', message: 'No.', refusal: expected })
})

it.each<[string, () => Response | Promise<Response>, string]>([
  ['nobody', () => Promise.reject(new TypeError('fetch failed')), 'unreachable'],
  ['a page', () => new Response('<html>'), 'not_a_monitor'],
  ['an error that is no JSON', () => new Response('<html>', { status: 404 }), 'not_a_monitor'],
  [
    'somebody who wants to be asked elsewhere',
    () => Response.redirect('http://b.example', 302),
    'not_a_monitor',
  ],
  ['a reverse proxy alone', () => new Response('<html>', { status: 502 }), 'unreachable'],
])('where %s answers, the error says so', async (_title, answer, code) => {
  await expect(clientBy(answer).client.status()).rejects.toMatchObject({ code, refusal: null })
})

const NOW = 'Tue, 10 Mar 2026 12:00:00 GMT'
const ranking = (changes: object = {}) =>
  filled('Recommendations', {
    sampledAt: '2026-03-10T11:59:20.400Z',
    source: { kind: 'live' },
    routableCount: 4,
    routingPolicy: { capacityWeightUnit: 'plus' },
    capacity: {
      fiveHour: { trackedUnits: 10, usableUnits: 1, unknownUnits: 0, staleUnits: 0 },
      week: { trackedUnits: 10, usableUnits: 7, unknownUnits: 1, staleUnits: 2 },
    },
    ...changes,
  })
/** An account for each of these states of its week. */
const withWindows = (...states: readonly string[]) => ({
  items: states.map((state) => ({ quotaWindows: [{ id: 'week', state }] })),
})
const guarding = (answer: object, need?: Parameters<Client['guard']>[0], headers = { Date: NOW }) =>
  clientBy(() => Response.json(answer, { headers })).client.guard(need)

it('guards by what an answer says, and by its age on the clock of the service', async () => {
  expect(await guarding(ranking())).toEqual({
    verdict: 'enough',
    reason: 'enough',
    window: 'week',
    minUnits: 2,
    minAccounts: 1,
    maxAgeSeconds: 300,
    staleOk: false,
    units: 5,
    staleUnits: 2,
    unknownUnits: 1,
    routableCount: 4,
    ageSeconds: 39,
    provider: 'codex',
    atLeast: false,
    windows: null,
    unit: 'plus',
    sourceText: 'a',
  })
})

it('guards the pool of the provider that is asked for, and names its unit', async () => {
  const { client, asked } = clientBy(() =>
    Response.json(ranking({ provider: 'claude', routingPolicy: { capacityWeightUnit: 'pro' } }), {
      headers: { Date: NOW },
    }),
  )

  expect(await client.guard({ provider: ['claude'], minUnits: 5 })).toMatchObject({
    verdict: 'enough',
    provider: 'claude',
    unit: 'pro',
  })
  expect(asked.map(({ url }) => new URL(url).search)).toEqual(['?provider=claude'])
})

it.each([
  [6, 6, ['day', 'week']],
  [5, 6, null],
  [undefined, undefined, null],
])('names the windows of a provider when %s of %s accounts are read: %j', async (...given) => {
  const [accountsRead, accountsToRead, windows] = given
  const pool = { provider: 'xai', accountsRead, accountsToRead }
  const own = ['day', 'week'].map((id) => ({ id }))
  const pools = [
    { provider: 'kimi', windows: [{ id: '5h' }] },
    { ...pool, windows: own },
  ]

  expect(await guarding(ranking({ provider: 'xai', pools }))).toMatchObject({ windows })
})

it('guards windows that share one quantity by the figures with the fewest unknown units', async () => {
  const figures = { trackedUnits: 10, usableUnits: 7, staleUnits: 2 }
  const sharedBy = ['day', 'week']
  const windows = [
    { id: 'day', ...figures, unknownUnits: 0, sharedBy },
    { id: 'week', ...figures, unknownUnits: 1, sharedBy },
  ]
  const answer = ranking({ provider: 'xai', pools: [{ provider: 'xai', windows }] })

  expect(await guarding(answer)).toMatchObject({ window: 'week', units: 5, unknownUnits: 0 })
})

it.each<[string, object, Parameters<Client['guard']>[0], string, string?]>([
  ['the other window', ranking(), { window: '5h' }, 'too_few_units'],
  ['a window that no account has', ranking(withWindows('absent', 'unknown')), {}, 'no_window'],
  ['a window that one account has', ranking(withWindows('absent', 'exhausted')), {}, 'enough'],
  [
    'a further window that no account has, of which one was not read',
    ranking(withWindows('known', 'unknown')),
    { window: 'day' },
    'no_window',
  ],
  [
    'plans that were never read, where too much is unknown',
    ranking({
      capacity: { week: { trackedUnits: 1, usableUnits: 1, atLeast: true } },
      items: [{ planKind: 'unknown', capacityWeight: 0, routingEligible: true }],
    }),
    {},
    'units_unknown',
  ],
  ['a window that was not read yet', ranking(withWindows('unknown')), {}, 'enough'],
  [
    'another window that no account has',
    ranking(withWindows('absent')),
    { window: '5h' },
    'too_few_units',
  ],
  ['an older list', ranking(), { maxAgeSeconds: 38 }, 'stale'],
  ['no list', ranking({ sampledAt: null, source: { kind: 'unavailable' } }), {}, 'no_reading'],
  ['an answer without capacity', ranking({ capacity: undefined }), {}, 'no_capacity'],
  ['an answer without its time', ranking(), {}, 'age_unknown', ''],
  ['a list from the future', ranking(), {}, 'age_unknown', 'Tue, 10 Mar 2026 11:59:00 GMT'],
  ['a list of the same second', ranking(), {}, 'enough', 'Tue, 10 Mar 2026 11:59:20 GMT'],
])('guards: %s', async (_title, answer, need, reason, date = NOW) => {
  expect(await guarding(answer, need, { Date: date })).toMatchObject({ reason })
})

it('guards by the present time where the answer has not changed', async () => {
  const dates = [NOW, 'Tue, 10 Mar 2026 12:10:00 GMT']
  const { client } = clientBy(({ headers }) => {
    const given = { Date: dates.shift() ?? '' }
    return headers.has('If-None-Match')
      ? new Response(null, { status: 304, headers: given })
      : Response.json(ranking(), { headers: { ...given, ETag: '"1"' } })
  })

  expect(await client.guard()).toMatchObject({ verdict: 'enough' })
  expect(await client.guard()).toMatchObject({
    verdict: 'unknown',
    reason: 'stale',
    ageSeconds: 639,
  })
})

/** Runs `use` against a server on this machine. */
async function overSocket(listener: RequestListener, use: (url: string) => Promise<void>) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

it.each<[string, RequestListener]>([
  ['does not answer', () => undefined],
  ['does not end its answer', (_request, answer) => void answer.writeHead(200).write('{')],
])('a service that %s is given up in time', async (_title, listener) => {
  await overSocket(listener, async (url) => {
    const client = createClient({ url, timeoutMs: 50 })

    await expect(client.status()).rejects.toMatchObject({ code: 'timeout' })
  })
})

it('an answer that breaks off is given up in time, also by a fetch that has forgotten the signal', async () => {
  const client = createClient({
    url: 'http://at.example',
    timeoutMs: 50,
    fetch: async () => new Response(new ReadableStream()),
  })

  await expect(client.status()).rejects.toMatchObject({ code: 'timeout' })
})

it('events that do not begin in time are given up, and those that do may take longer', async () => {
  await overSocket(
    () => undefined,
    async (url) => {
      const silent = createClient({ url, timeoutMs: 50 }).events()[Symbol.asyncIterator]()
      await expect(silent.next()).rejects.toMatchObject({ code: 'timeout' })
    },
  )
  await overSocket(
    (_request, answer) => {
      answer.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
      setTimeout(() => answer.write('id: 7\ndata: {}\n\n'), 200)
    },
    async (url) => {
      const stop = new AbortController()
      const events = createClient({ url, timeoutMs: 100 }).events({ signal: stop.signal })
      for await (const { id } of events) {
        expect(id).toBe('7')
        stop.abort()
      }
    },
  )
})

/** Sends a piece as fast as it is taken, and counts what went out. */
function endless(piece: string, headers: Readonly<Record<string, string>>, status = 200) {
  const sent = { bytes: 0, closed: false }
  const listener: RequestListener = (_request, answer) => {
    answer.writeHead(status, headers)
    answer.on('close', () => {
      sent.closed = true
    })
    const more = () => {
      while (!answer.destroyed && answer.write(piece)) sent.bytes += piece.length
    }
    answer.on('drain', more)
    more()
  }
  return { sent, listener }
}

const MIB = 1024 * 1024

it.each<[string, string, Readonly<Record<string, string>>, number, number, RegExp]>([
  ['answer', '"x",', { 'Content-Type': 'application/json' }, 200, 64, /longer than 65536 KiB/],
  ['refusal', ' ', { 'Content-Type': 'application/json' }, 500, 0, /longer than 64 KiB/],
])(
  'an endless %s is read so far and no further',
  async (_title, text, headers, status, mib, why) => {
    const { sent, listener } = endless(text.repeat(MIB / text.length), headers, status)
    await overSocket(listener, async (url) => {
      const client = createClient({ url, timeoutMs: 60_000 })

      await expect(client.status()).rejects.toMatchObject({
        code: 'not_a_monitor',
        message: expect.stringMatching(why),
      })
      // What the system holds of it goes out as well.
      expect(sent.bytes).toBeLessThan((mib + 32) * MIB)
      await expect.poll(() => sent.closed).toBe(true)
    })
  },
)

it('an endless event ends the events', async () => {
  const { sent, listener } = endless('x'.repeat(MIB), { 'Content-Type': 'text/event-stream' })
  await overSocket(listener, async (url) => {
    const events = createClient({ url }).events()[Symbol.asyncIterator]()

    await expect(events.next()).rejects.toMatchObject({ code: 'not_a_monitor' })
    expect(sent.bytes).toBeLessThan(32 * MIB)
    await expect.poll(() => sent.closed).toBe(true)
  })
})

it.each<[string, () => Response | Promise<Response>, object]>([
  ['of another kind', () => Response.json({ items: 1 }), { message: /\(contractVersion is not/ }],
  [
    'that breaks off',
    () =>
      new Response(
        new ReadableStream({
          start: (body) => body.error(Object.assign(new Error(), { code: 'ECONNRESET' })),
        }),
      ),
    { code: 'unreachable', message: /the answer of .* broke off \(ECONNRESET\)/ },
  ],
  [
    'that asks for a login',
    () => new Response('<html>', { status: 401 }),
    { code: 'refused', message: /a login is asked for/ },
  ],
])(
  'an answer %s is told as one',
  async (_title, answer, { message, ...expected }: { message?: RegExp }) => {
    await expect(clientBy(answer).client.recommendations()).rejects.toMatchObject({
      ...expected,
      message: expect.stringMatching(message ?? /^$/),
    })
  },
)

it('what is no HTTP is told as such', async () => {
  const failed = Object.assign(new TypeError('fetch failed'), {
    cause: { code: 'HPE_INVALID_CONSTANT' },
  })

  await expect(clientBy(() => Promise.reject(failed)).client.status()).rejects.toMatchObject({
    code: 'not_a_monitor',
    message: expect.stringContaining('does not speak HTTP'),
  })
})

it('takes no header that is none', () => {
  expect(() => createClient({ url: 'http://at.example', headers: { 'a b': 'c' } })).toThrow(
    TypeError,
  )
})

it.each([
  ['{"items":[', '[],'],
  ['', '['],
  ['[', '{},'],
  ['', '{"a":'],
])('an answer of nothing but brackets is not unfolded: %s%s', async (head, piece) => {
  const body = head + piece.repeat(100_000)

  await expect(clientBy(() => new Response(body)).client.status()).rejects.toMatchObject({
    message: expect.stringContaining('all brackets'),
  })
})
