import { setImmediate } from 'node:timers/promises'
import { filled } from '@svc/client/testing'
import { virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { answering, sentEvents } from '../testing/answering.ts'
import { cli } from '../testing/run-for-test.ts'

const URL_FLAGS = ['--url', 'http://127.0.0.1:4515']

const item = {
  selector: { authName: 'codex-a.json', authIndex: '17', accountKey: 'a1' },
  authIndex: '17',
  accountKey: 'a1',
  title: 'a@example.com',
  planKind: 'plus',
  provider: 'codex',
  routingScore: 73,
}
const answer = { contractVersion: '1.1', item, kept: false, reason: 'best', text: 'The best one.' }
const one = filled('Pick', answer)
const none = {
  ...one,
  item: null,
  reason: 'all_blocked',
  text: 'Every account is blocked.',
  nextAt: '2026-11-20T12:12:55.000Z',
  nextInSeconds: 775,
}

const picking = (answer: object) => answering({ '/api/v1/pick': answer })

describe('pick', () => {
  it.each([
    { argv: [], printed: 'codex-a.json\n' },
    {
      argv: ['--format', '{title}|{plan}|{score}|{provider}'],
      printed: 'a@example.com|plus|73|codex\n',
    },
    { argv: ['--format={accountKey} {authIndex} {text}'], printed: 'a1 17 The best one.\n' },
    { argv: ['--format', '[{upstream}]{"x"}'], printed: '[]{"x"}\n' },
    { argv: ['--json'], printed: `${JSON.stringify(one, null, 2)}\n` },
  ])('$argv prints $printed', async ({ argv, printed }) => {
    expect(await cli(['pick', ...URL_FLAGS, ...argv], { fetch: picking(one) })).toEqual({
      code: 0,
      stdout: printed,
      stderr: '',
    })
  })

  it('gives an account back, and prints nothing', async () => {
    const bodies: string[] = []
    const released = { ...none, reason: 'released', nextAt: undefined, nextInSeconds: undefined }
    const fetch: typeof globalThis.fetch = async (_, init) => {
      bodies.push(String(init?.body))
      return Response.json(released)
    }
    const argv = ['pick', ...URL_FLAGS, '--as', 'one', '--release']

    expect(await cli(argv, { fetch })).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(JSON.parse((await cli([...argv, '--json'], { fetch })).stdout)).toMatchObject({
      reason: 'released',
    })
    expect(bodies).toEqual(Array(2).fill('{"as":"one","release":true}'))
  })

  it('makes what would move the cursor of a terminal harmless', async () => {
    const hostile = { ...item, title: 'a\u001b[2Jb\nc' }
    const { stdout } = await cli(['pick', ...URL_FLAGS, '--format', '{title}'], {
      fetch: picking({ ...one, item: hostile }),
    })

    expect(stdout).toBe('a\\u{1b}[2Jb\\u{a}c\n')
  })

  it.each([
    { next: {}, said: 'The next returns in 12min (2026-11-20T12:12:55.000Z).' },
    { next: { nextAt: null, nextInSeconds: null }, said: 'Nobody knows when one returns.' },
  ])('without an account ends with 1 and says when one returns: $said', async ({ next, said }) => {
    const fetch = picking({ ...none, ...next })

    expect(await cli(['pick', ...URL_FLAGS], { fetch })).toEqual({
      code: 1,
      stdout: '',
      stderr: `svc-quota-monitor: Every account is blocked. ${said}\n`,
    })
    const { code, stdout } = await cli(['pick', ...URL_FLAGS, '--json'], { fetch })
    expect({ code, reason: JSON.parse(stdout).reason }).toEqual({ code: 1, reason: 'all_blocked' })
  })

  it.each([
    {
      argv: [
        '--keep',
        '007',
        '--avoid',
        'a.json,b.json',
        '--avoid',
        'c.json',
        '--plan',
        'plus,pro',
      ],
      asked: 'GET ?keep=007&avoid=a.json%2Cb.json%2Cc.json&plan=plus%2Cpro ',
    },
    {
      argv: ['--as', '12', '--failed', 'x.json', '--provider=codex', '--upstream', 'berlin'],
      asked: 'POST  {"as":"12","failed":"x.json","provider":["codex"],"upstream":["berlin"]}',
    },
  ])('asks $asked', async ({ argv, asked }) => {
    let seen = ''
    const fetch: typeof globalThis.fetch = async (input, init) => {
      seen = `${init?.method ?? 'GET'} ${new URL(String(input)).search} ${init?.body ?? ''}`
      return Response.json(one)
    }

    expect((await cli(['pick', ...URL_FLAGS, ...argv], { fetch })).code).toBe(0)
    expect(seen).toBe(asked)
  })

  it.each([
    [['--format', '{nme}'], /--format: there is no \{nme\}: \{authName\}, .*\{text\}\n$/],
    [['--failed', 'a.json'], /--failed needs --as <name>/],
    [['--release'], /--release needs --as <name>, and no other/],
    [['--release', '--as', 'one', '--keep', 'a.json'], /--release needs --as <name>, and no other/],
    [['--release', '--as', 'one', '--wait', '1m'], /--release needs --as <name>, and no other/],
    [['--wait', '10'], /--wait: a duration as/],
    [['--timeout', 'soon'], /--timeout: a duration as/],
    [['--url', 'ftp://x'], /--url: an address as/],
  ])('%j is a usage error', async (argv, said) => {
    const { code, stdout, stderr } = await cli(['pick', ...argv])

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(said)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it.each(['There is no such plan.', 'There is no such plan: plus, pro'])(
    'tells once what is allowed when the service refuses a value: %s',
    async (error) => {
      const refusal = { error, status: 'bad_request', allowed: ['plus', 'pro'] }
      const fetch = picking(() => Response.json(refusal, { status: 400 }))

      expect(await cli(['pick', ...URL_FLAGS, '--plan', 'x'], { fetch })).toMatchObject({
        code: 2,
        stderr: 'svc-quota-monitor: There is no such plan: plus, pro\n',
      })
    },
  )
})

describe('pick --wait', () => {
  /** A service without a free account until `free` is called, and the command that waits for one. */
  function waiting(argv: readonly string[], answer: object = none) {
    const clock = virtualClock(async () => void (await setImmediate()))
    const events = sentEvents()
    const asked: unknown[] = []
    let current: object = answer
    const ask = async (request: Request) => {
      const body = await request.text()
      asked.push(body === '' ? null : JSON.parse(body))
    }
    const fetch = answering({
      '/api/v1/pick': (request) => {
        void ask(request)
        return current
      },
      '/api/v1/events': events.answer,
    })
    const ended = cli(['pick', ...URL_FLAGS, ...argv], { fetch, clock })
    const free = () => {
      current = one
    }
    return { clock, events, asked, ended, free }
  }
  const idle = async (asked: readonly unknown[], count: number) =>
    await expect.poll(() => asked.length).toBe(count)

  it('is woken by an event when an account returns, and not by time', async () => {
    const { clock, events, asked, ended, free } = waiting(['--wait', '10m'])
    await idle(asked, 2)
    free()
    events.send('change', {})

    expect(await ended).toEqual({ code: 0, stdout: 'codex-a.json\n', stderr: '' })
    expect({ asked: asked.length, now: clock.monotonicMs() }).toEqual({ asked: 3, now: 0 })
    expect(clock.scheduledCount).toBe(0)
  })

  it('asks again when the next return is due, without any event', async () => {
    const { clock, asked, ended, free } = waiting(['--wait', '1h'])
    await idle(asked, 2)
    await expect.poll(() => clock.scheduledCount).toBe(1)
    await clock.advance(774_000)
    expect(asked).toHaveLength(2)
    free()
    await clock.advance(1_000)

    expect(await ended).toMatchObject({ code: 0, stdout: 'codex-a.json\n' })
  })

  it.each([
    { what: 'known', answer: none },
    { what: 'unknown', answer: { ...none, nextAt: null, nextInSeconds: null } },
  ])('gives up when its time is over, the next return being $what', async ({ answer }) => {
    const { clock, asked, ended } = waiting(['--wait', '30s'], answer)
    await idle(asked, 2)
    await expect.poll(() => clock.scheduledCount).toBe(1)
    await clock.advance(30_000)

    expect(await ended).toMatchObject({ code: 1, stdout: '' })
    expect(asked).toHaveLength(3)
  })

  it('reports a failure once, so that the account may return', async () => {
    const { events, asked, ended, free } = waiting(['--wait', '1m', '--as', 'me', '--failed', 'x'])
    await idle(asked, 2)
    free()
    events.send('snapshot', {})
    await ended

    expect(asked).toEqual([{ as: 'me', failed: 'x' }, { as: 'me' }, { as: 'me' }])
  })

  it('ends with 4 when the service has no events', async () => {
    const fetch = answering({
      '/api/v1/pick': none,
      '/api/v1/events': () => new Response('full', { status: 503 }),
    })

    expect(await cli(['pick', ...URL_FLAGS, '--wait', '1m'], { fetch })).toMatchObject({ code: 4 })
  })
})
