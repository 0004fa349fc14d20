import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aFakeAccount, type FakeFault } from '@svc/fake-proxy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paceOfBusyMachine } from '../../../tooling/accelerated-clock.ts'
import { eventually, pause } from '../../../tooling/eventually.ts'
import { settle } from '../../../tooling/settled.ts'
import { underFault } from './base-line.ts'
import {
  FACTOR,
  type FaultyService,
  type FaultyServiceOptions,
  startFaultyService,
  TIMEOUT_SECONDS,
} from './faulty-service.ts'

const accounts = () => ['one', 'two'].map((name) => aFakeAccount({ name }))
const ERRORS = 'svc_quota_monitor_upstream_errors_total{endpoint="auth-files"}'
const DEADLINE_REASON = `no complete answer in ${TIMEOUT_SECONDS} s`
const folder = mkdtempSync(join(tmpdir(), 'svc-transport-'))
let service: FaultyService

beforeAll(async () => {
  service = await startFaultyService({ accounts })
  await service.until('live')
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

const serviceSeconds = (seconds: number) => pause((seconds * 1000) / FACTOR)
const listRequests = () => service.fake.stats.requestsByRoute['auth-files']
/** Waits until the list was asked for this often. */
const pollsOfTheList = (count: number) => {
  const wanted = listRequests() + count
  return eventually(`${count} more polls`, () => listRequests() >= wanted)
}
const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

interface Away {
  readonly begin: () => Promise<void> | void
  readonly end: () => Promise<void> | void
  /** Why every poll of the account list fails, and how long one takes. */
  readonly reason: string
  readonly callSeconds: number
  readonly gatewayTone?: 'bad' | 'good'
}

/** The whole proxy is away for long: partial, then stale, with everything that was known; then live again by itself. */
async function away({
  begin,
  end,
  reason,
  callSeconds,
  gatewayTone = 'bad',
}: Away): Promise<string> {
  const { recommendations } = await service.status()
  const log = service.logSince()
  await begin()
  await service.until('partial')
  const stale = await service.until('stale')
  const [gateway, list, up] = [
    await service.source('gateway'),
    await service.source('accounts'),
    await service.metric('svc_quota_monitor_gateway_up'),
  ]
  const failed = failedPolls(log(), 'accounts')
  await end()
  await service.until('live')

  expect(stale.recommendations.items).toHaveLength(recommendations.items.length)
  expect(stale.sourceText).toMatch(/last answered/)
  expect([gateway.tone, list.tone]).toEqual([gatewayTone, 'bad'])
  expect(up).toBe(gatewayTone === 'bad' ? 0 : 1)
  const transitions = log().flatMap((line) => / snapshot source=(\w+)/.exec(line)?.[1] ?? [])
  expect(transitions).toEqual(expect.arrayContaining(['partial', 'stale', 'live']))
  expect(new Set(failed.map((poll) => poll.reason))).toEqual(new Set([reason]))
  const gaps = gapsInSeconds(failed)
  // A second call at the same time would end soon after the first.
  expect(
    gaps.filter((gap) => gap < callSeconds / 2),
    `gaps ${gaps}`,
  ).toEqual([])
  return `${transitions.join(' → ')}, gateway "${gateway.code}", ${recommendations.items.length} accounts kept, polls ${gaps.map(Math.round)} s apart`
}

interface FailedPoll {
  readonly atMs: number
  readonly reason: string
}

function failedPolls(lines: readonly string[], source: string): readonly FailedPoll[] {
  return lines.flatMap((line) => {
    const [, at = '', name, reason = ''] =
      /^(\S+) debug poll failed source="?(.*?)"? code=.* reason="([^"]*)"/.exec(line) ?? []
    return name === source ? [{ atMs: Date.parse(at), reason }] : []
  })
}

function gapsInSeconds(polls: readonly { readonly atMs: number }[]): readonly number[] {
  return polls.slice(1).map(({ atMs }, index) => (atMs - (polls[index]?.atMs ?? 0)) / 1000)
}

describe('the way to the proxy', () => {
  it('connection refused', async (context) => {
    await underFault(context, service, () =>
      away({
        begin: service.served.close,
        end: service.served.reopen,
        reason: 'no connection, or it broke',
        callSeconds: 0,
      }),
    )
  })

  it('accepts and never answers', async (context) => {
    await underFault(context, service, () =>
      away({
        begin: () => service.setFault({ kind: 'delay', delayMs: 1e9 }),
        end: () => service.setFault(null),
        reason: DEADLINE_REASON,
        callSeconds: TIMEOUT_SECONDS,
      }),
    )
  })

  it('headers, then one byte a second: the deadline is over the whole answer', async (context) => {
    await underFault(context, service, () =>
      away({
        begin: () => service.setFault({ kind: 'drip' }),
        end: () => service.setFault(null),
        reason: DEADLINE_REASON,
        callSeconds: TIMEOUT_SECONDS,
        // Its headers come at once, and they are all that is asked of the gateway.
        gatewayTone: 'good',
      }),
    )
  })

  it.for<readonly [string, FakeFault, RegExp]>([
    ['a reset in mid body', { kind: 'reset' }, /no connection, or it broke/],
    [
      'a Content-Length that is too long',
      { kind: 'length_too_long' },
      /no connection, or it broke|not valid HTTP/,
    ],
    ['a Content-Length that is too short', { kind: 'length_too_short' }, /not valid JSON/],
    ['broken chunks', { kind: 'broken_chunks' }, /not valid HTTP/],
    ['100,000 header lines', { kind: 'header_flood' }, /not valid HTTP|no connection/],
    ['a header line of 1 MB', { kind: 'header_line' }, /not valid HTTP|no connection/],
  ])('%s: one failed poll, and the next is clean', async ([, fault, reason], context) => {
    await underFault(context, service, async () => {
      const before = (await service.metric(ERRORS)) ?? 0
      const log = service.logSince()
      service.fake.failNext('auth-files', fault)
      await eventually('a failed poll', async () => ((await service.metric(ERRORS)) ?? 0) > before)
      await pollsOfTheList(2)
      await service.until('live')

      expect(await service.metric(ERRORS)).toBe(before + 1)
      const told = log().find((line) => line.includes('poll failed source=accounts'))
      expect(told).toMatch(reason)
      return `one failed poll (${/reason="?([^"]*)/.exec(told ?? '')?.[1]}), the next clean`
    })
  })

  it('a kept connection that turns out closed: asked once more, and nobody notices', async (context) => {
    await underFault(context, service, async () => {
      const before = (await service.metric(ERRORS)) ?? 0
      const dropped = () =>
        service.fake.requests.filter(
          ({ route, status }) => route === 'auth-files' && status === null,
        ).length
      const droppedBefore = dropped()
      service.fake.failNext('auth-files', { kind: 'drop' })
      await eventually('the connection was dropped', () => dropped() > droppedBefore)
      await serviceSeconds(30)

      expect((await service.metric(ERRORS)) ?? 0).toBe(before)
      const at = service.fake.requests.findLastIndex(
        ({ route, status }) => route === 'auth-files' && status === null,
      )
      const [lost, again] = service.fake.requests
        .slice(at)
        .filter(({ route }) => route === 'auth-files')
      expect([lost?.status, again?.status]).toEqual([null, 200])
      return 'the same GET again at once, no failed poll'
    })
  })

  it('a proxy that closes after every answer without a word: nobody notices', async (context) => {
    await underFault(context, service, async () => {
      const before = (await service.metric(ERRORS)) ?? 0
      service.setFault({ kind: 'close_after' })
      await pollsOfTheList(3)
      service.setFault(null)
      await pollsOfTheList(1)

      expect((await service.metric(ERRORS)) ?? 0).toBe(before)
      expect((await service.status()).source).toBe('live')
      return 'three polls answered, none failed'
    })
  })

  it('a redirect to another origin: not followed, the key stays here', async (context) => {
    const seen: string[] = []
    const recorder = createServer((request, response) => {
      seen.push(JSON.stringify(request.headers))
      response.end('{"files":[]}')
    })
    await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve))
    const location = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}/v0/management/auth-files`
    await underFault(context, service, async () => {
      service.setFault({ kind: 'status', status: 302, headers: { location } }, [
        'auth-files',
        'usage-statistics-enabled',
        'api-call',
      ])
      await service.until('partial')
      await serviceSeconds(60)
      const { code } = await service.source('accounts')
      service.setFault(null)
      await service.until('live')

      expect(seen).toEqual([])
      return `"${code}", the other origin was never asked`
    })
    recorder.close()
  })

  it('a redirect to itself: one request a poll', async (context) => {
    await underFault(context, service, async () => {
      const errorsBefore = (await service.metric(ERRORS)) ?? 0
      const requestsBefore = service.fake.stats.requestsByRoute['auth-files']
      service.setFault(
        { kind: 'status', status: 302, headers: { location: '/v0/management/auth-files' } },
        ['auth-files'],
      )
      await service.until('partial')
      await serviceSeconds(60)
      const failed = ((await service.metric(ERRORS)) ?? 0) - errorsBefore
      const requests = service.fake.stats.requestsByRoute['auth-files'] - requestsBefore
      service.setFault(null)
      await service.until('live')

      expect(failed).toBeGreaterThan(0)
      expect(requests).toBeLessThanOrEqual(failed + 1)
      return `${requests} requests, ${failed} failed polls`
    })
  })

  it('a proxy that restarts every 3 s for 2 min: at most one line a minute and source', async (context) => {
    await underFault(context, service, async () => {
      await serviceSeconds(70)
      const log = service.logSince()
      // Polls that keep step with the restarts would never meet one, so these do not keep step.
      for (
        let restart = 0;
        restart < 40 || (restart < 200 && failedPolls(log(), 'accounts').length === 0);
        restart += 1
      ) {
        await service.served.close()
        await serviceSeconds(1)
        await service.served.reopen()
        await serviceSeconds(1.75 + (restart % 4) / 6)
      }
      await service.until('live')

      const told = Object.fromEntries(
        ['gateway', 'accounts', 'usage statistics'].map((source) => [
          source,
          gapsInSeconds(linesAbout(source, log())).map(Math.round),
        ]),
      )
      expect(failedPolls(log(), 'accounts').length).toBeGreaterThan(0)
      expect(linesAbout('accounts', log()).length).toBeGreaterThan(0)
      expect(
        Object.values(told)
          .flat()
          .filter((gap) => gap < 60),
        JSON.stringify(told),
      ).toEqual([])
      return `40 restarts or more, seconds between lines by source: ${JSON.stringify(told)}`
    })
  })
})

/** The lines above debug that tell of a source. */
function linesAbout(
  source: string,
  lines: readonly string[],
): readonly { readonly atMs: number }[] {
  return lines.flatMap((line) => {
    const [, at = '', name] =
      /^(\S+) (?:info|warn|error) +source (?:fails|answers) source="?(.*?)"?(?: \w+=|$)/.exec(
        line,
      ) ?? []
    return name === source ? [{ atMs: Date.parse(at) }] : []
  })
}

/** A service of its own under one fault. */
async function withService(
  options: Omit<FaultyServiceOptions, 'accounts'>,
  use: (own: FaultyService) => Promise<void>,
): Promise<void> {
  const own = await startFaultyService({ accounts, ...options })
  try {
    await use(own)
  } finally {
    await own.stop()
  }
}

describe('before there is a connection', () => {
  it('a black hole: one call per source at a time, each ends at its deadline, nothing piles up in an hour', async (context) => {
    const hole = await openBlackHole()
    await withService(
      { factor: paceOfBusyMachine(120), upstreamUrl: () => hole.url },
      async (own) => {
        // Health shows its sources once there is something to show.
        await own.until('unavailable')
        await underFault(context, own, async () => {
          await eventually(
            'the gateway is bad',
            async () => (await own.source('gateway')).code === 'timeout',
          )
          // A connection that is given up is only forgotten after undici's own 10 s, which no clock of ours makes shorter: so it is the plateau that counts.
          const log = own.logSince()
          const mostIn = async (serviceMinutes: number) => {
            let most = 0
            for (let minute = 0; minute < serviceMinutes; minute += 1) {
              await pause(60_000 / 120)
              most = Math.max(most, openFiles(own.pid))
            }
            return most
          }
          await mostIn(24)
          const [early, late] = [await mostIn(18), await mostIn(18)]

          expect(late).toBeLessThanOrEqual(early + 4)
          const calls = ['gateway', 'accounts'].map((source) => {
            const failed = failedPolls(log(), source)
            const gaps = gapsInSeconds(failed)
            // A second call at the same time would end soon after the first.
            expect(Math.min(...gaps), source).toBeGreaterThan(TIMEOUT_SECONDS / 2)
            expect(new Set(failed.map(({ reason }) => reason)), source).toEqual(
              new Set([DEADLINE_REASON]),
            )
            return `${source} ${failed.length} calls`
          })
          return `code "timeout", ${calls.join(', ')}, open files at most ${early} in the first and ${late} in the second half of the hour`
        })
      },
    )
    hole.close()
  })

  it('a name that cannot be resolved: said as that, and mended within a period', async (context) => {
    const down = join(folder, 'dns-down')
    await withService(
      {
        upstreamUrl: (url) => url.replace('127.0.0.1', 'upstream.invalid'),
        faults: { dnsDownFile: down },
      },
      async (own) => {
        await own.until('live')
        await underFault(context, own, async () => {
          writeFileSync(down, '')
          await own.served.close()
          await own.served.reopen()
          await eventually(
            'the gateway is bad',
            async () => (await own.source('gateway')).code === 'dns',
          )
          const { code, note } = await own.source('gateway')
          const log = own.logSince()
          rmSync(down)
          await own.until('live')

          expect(own.output()).toContain('code=dns')
          // One that was on its way, and one whose look-up had begun.
          expect(failedPolls(log(), 'gateway').length).toBeLessThanOrEqual(2)
          return `"${code}: ${note}", live again with the next poll`
        })
      },
    )
  })

  it.for([
    ['self-signed', '/CN=localhost', 'subjectAltName=DNS:localhost', 365, false],
    ['expired', '/CN=localhost', 'subjectAltName=DNS:localhost', -1, true],
    ['for another name', '/CN=elsewhere', 'subjectAltName=DNS:elsewhere.example', 365, true],
  ] as const)(
    'a certificate that is %s: refused, and nothing was said to it',
    async ([name, subject, alternative, days, trusted], context) => {
      const [key, cert] = [
        join(folder, `${days}${subject.slice(4)}.key`),
        join(folder, `${days}${subject.slice(4)}.pem`),
      ]
      makeCertificate({ key, cert, subject, alternative, days })
      const seen: string[] = []
      const proxy = createTlsServer(
        { key: readFileSync(key), cert: readFileSync(cert) },
        (request, response) => {
          seen.push(request.url ?? '')
          response.end('{}')
        },
      )
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
      const upstreamUrl = () => `https://localhost:${(proxy.address() as AddressInfo).port}`
      await withService(
        { upstreamUrl, env: trusted ? { NODE_EXTRA_CA_CERTS: cert } : {} },
        async (own) => {
          await underFault(context, own, async () => {
            await eventually(
              'the list failed twice',
              async () => (await own.source('accounts')).tone === 'bad',
            )
            // Long enough for several more attempts, none of which may give in, and for a percentile of a process that has just begun.
            await serviceSeconds(60)
            const { code, note, tone } = await own.source('accounts')

            expect({ code, tone }).toEqual({ code: 'tls', tone: 'bad' })
            expect(await own.metric('svc_quota_monitor_gateway_up')).toBe(0)
            expect(own.output()).toMatch(/source=accounts code=tls/)
            expect(seen).toEqual([])
            return `${name}: "${code}: ${note}"`
          })
        },
      )
      proxy.close()
    },
  )
})

/** A listener that takes no more connections: its backlog is full and its process stopped, so that further packets are dropped. */
async function openBlackHole() {
  const program =
    "require('net').createServer(()=>{}).listen({port:0,host:'127.0.0.1',backlog:1},function(){console.log(this.address().port)})"
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] })
  const port = await new Promise<number>((resolve) =>
    child.stdout.once('data', (text) => resolve(Number(text))),
  )
  child.kill('SIGSTOP')
  const sockets: Socket[] = []
  for (let full = false; !full; ) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    sockets.push(socket)
    full = await Promise.race([
      new Promise<boolean>((resolve) => socket.once('connect', () => resolve(false))),
      // On a busy machine this process may hear late of a connection that is made.
      pause(300)
        .then(settle)
        .then(() => socket.connecting),
    ])
  }
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      for (const socket of sockets) socket.destroy()
      child.kill('SIGKILL')
    },
  }
}

function makeCertificate(of: {
  readonly key: string
  readonly cert: string
  readonly subject: string
  readonly alternative: string
  readonly days: number
}): void {
  const request = `${of.cert}.csr`
  const extensions = `${of.cert}.ext`
  writeFileSync(extensions, of.alternative)
  execFileSync(
    'openssl',
    [
      'req',
      '-new',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      of.key,
      '-subj',
      of.subject,
      '-out',
      request,
    ],
    {
      stdio: 'ignore',
    },
  )
  execFileSync(
    'openssl',
    [
      'x509',
      '-req',
      '-in',
      request,
      '-signkey',
      of.key,
      '-days',
      String(of.days),
      '-extfile',
      extensions,
      '-out',
      of.cert,
    ],
    { stdio: 'ignore' },
  )
  if (!existsSync(of.cert)) throw new Error('openssl made no certificate')
}
