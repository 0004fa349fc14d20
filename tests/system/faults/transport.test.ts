import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { aFakeAccount, type FakeFault } from '@svc/fake-proxy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, pause } from '../../../tooling/eventually.ts'
import { underFault } from './base-line.ts'
import {
  FACTOR,
  type FaultyService,
  startFaultyService,
  TIMEOUT_SECONDS,
} from './faulty-service.ts'
import { failedPolls, gapsInSeconds } from './poll-log.ts'

const accounts = () => ['one', 'two'].map((name) => aFakeAccount({ name }))
const ERRORS = 'svc_quota_monitor_upstream_errors_total{endpoint="auth-files"}'
const DEADLINE_REASON = `no complete answer in ${TIMEOUT_SECONDS} s`
let service: FaultyService

beforeAll(async () => {
  service = await startFaultyService({ accounts })
  await service.until('live')
})
afterAll(async () => {
  await service.stop()
})

const serviceSeconds = (seconds: number) => pause((seconds * 1000) / FACTOR)
const listRequests = () => service.fake.stats.requestsByRoute['auth-files']
/** Waits until the list was asked for this often. */
const pollsOfTheList = (count: number) => {
  const wanted = listRequests() + count
  return eventually(`${count} more polls`, () => listRequests() >= wanted)
}

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
