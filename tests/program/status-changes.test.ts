import { request } from 'node:http'
import { type VirtualClock, virtualClock } from '@svc/core/testing'
import { fetchOf, livePool } from '@svc/fake-proxy'
import type { StatusSnapshot } from '@svc/views'
import { afterSteps, type StatusStep } from '@svc/views/changes'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ownConnection } from '../../tooling/service/own-connection.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { settle, settleCompressed } from '../../tooling/settled.ts'
import { contractErrors } from '../contract.ts'

const EVALUATION_MS = 15_000
let clock: VirtualClock
let live: ProxiedService

beforeEach(async () => {
  clock = virtualClock(settle)
  const accounts = livePool(25, clock.now())
  live = await startService({ where: 'here', time: clock, accounts, fetchOf })
  await passing(3 * 60_000)
})
afterEach(() => live.stop())

async function passing(milliseconds: number): Promise<void> {
  await clock.advance(milliseconds)
  await settleCompressed()
}

interface Changes {
  readonly since: string
  readonly etag: string
  readonly steps: readonly StatusStep[]
}
interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly bytes: Buffer
}

/** An answer as it is sent, with nothing unpacked. */
function ask(query: string, headers: object = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method, headers: { ...ownConnection.headers, ...headers } }
    const asked = request(`${live.url}/api/v1/status${query}`, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
        }),
      )
    })
    asked.on('error', reject).end()
  })
}
const since = ({ headers: { etag } }: Answer) => `?since=${encodeURIComponent(String(etag))}`
const bodyOf = <Body>({ bytes }: Answer) => JSON.parse(bytes.toString()) as Body

it('who follows the status has, after every evaluation, what somebody has who reads it whole', async () => {
  const first = await ask('?since=')
  let held = bodyOf<StatusSnapshot>(first)
  let query = since(first)
  expect((await ask(query)).status).toBe(304)
  let changesCount = 0
  for (let round = 0; round < 9; round += 1) {
    // Now and then the one who follows is late, by one version or several.
    await passing(EVALUATION_MS * (round % 4 === 3 ? 3 : 1) + 130 * round)
    const answer = await ask(query)
    const body = bodyOf<StatusSnapshot | Changes>(answer)
    expect(contractErrors('/api/v1/status', body)).toEqual([])
    const whole = await ask('')
    if ('since' in body) {
      changesCount += 1
      held = afterSteps(held, body.steps)
      query = `?since=${body.etag}`
      expect(query).toBe(`?since=${String(whole.headers.etag).replaceAll('"', '')}`)
    } else {
      held = body
      query = since(answer)
    }
    expect(held).toEqual(bodyOf<StatusSnapshot>(whole))
    expect((await ask(query)).status).toBe(304)
  }

  expect(changesCount).toBeGreaterThan(4)
})

it('is counted as a request for the status', async () => {
  await ask('?since=')
  await ask('?since=nobody-knows')

  expect(
    await live.metric('svc_quota_monitor_http_requests_total{route="/api/v1/status",code="200"}'),
  ).toBe(2)
})
