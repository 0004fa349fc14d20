import { anAccount, aQuotaSample, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import type { ProbeResult } from '../providers/contract/provider.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { createPausingTransport } from './pausing-transport.ts'

const alice = anAccount('alice')
const SAMPLE: ProbeResult = { kind: 'sample', sample: aQuotaSample({ fiveHour: 40 }) }
const timeout = new UpstreamError('timeout', 'no answer in time')

/** A transport that gives these answers one after the other. */
function aTransport(...answers: readonly (ProbeResult | Error)[]) {
  const left = [...answers]
  const clock = virtualClock(() => Promise.resolve())
  const stopping = new AbortController()
  const counted: unknown[] = []
  const broken: string[] = []
  const pausing = createPausingTransport(
    {
      endpointOf: () => 'api-call',
      async query() {
        const answer = left.shift()
        if (answer === undefined) throw new Error('asked too often')
        if (answer instanceof Error) throw answer
        return answer
      },
    },
    { queryBroke: (inARow, code) => void broken.push(`${inARow} ${code}`) },
    {
      clock,
      random: () => 1,
      report: { count: (event) => void counted.push(event) },
      stop: stopping.signal,
    },
  )
  return { pausing, clock, stopping, counted, broken, query: () => pausing.query(alice, false) }
}

describe('a query', () => {
  it('that breaks is a failure, is counted under its endpoint, and pauses all for longer each time', async () => {
    const { pausing, query, counted, broken } = aTransport(timeout, timeout)
    expect(await query()).toEqual({ kind: 'failed', code: 'timeout', httpStatus: null })
    expect(pausing.pausedUntilMs()).toBe(2000)
    await query()

    expect(pausing.pausedUntilMs()).toBe(4000)
    expect(counted).toEqual(
      Array(2).fill({ counter: 'upstream_errors_total', endpoint: 'api-call' }),
    )
    expect(broken).toEqual(['1 timeout', '2 timeout'])
  })

  it('that breaks with Retry-After pauses all for just as long', async () => {
    const asked = new UpstreamError('server_error', 'it answered 503', {
      httpStatus: 503,
      retryAfterSeconds: 90,
    })
    const { pausing, clock, query } = aTransport(asked)
    await clock.advance(1000)
    await query()

    expect(pausing.pausedUntilMs()).toBe(91_000)
  })

  it('that gets through ends the row, and the pause runs out', async () => {
    const { pausing, query, broken } = aTransport(timeout, timeout, SAMPLE, timeout)
    await query()
    await query()
    expect(await query()).toBe(SAMPLE)
    expect(pausing.pausedUntilMs()).toBe(4000)
    await query()

    expect(broken).toEqual(['1 timeout', '2 timeout', '1 timeout'])
  })

  it.each(['banned', 'no_key'] as const)(
    'held back as %s pauses nothing and counts as nothing',
    async (code) => {
      const { pausing, query, counted, broken } = aTransport(new UpstreamError(code, 'not sent'))

      expect(await query()).toBe('held')
      expect(pausing.pausedUntilMs()).toBe(0)
      expect([...counted, ...broken]).toEqual([])
    },
  )

  it('that breaks because it is stopped pauses nothing and counts as nothing', async () => {
    const { pausing, stopping, query, counted } = aTransport(timeout)
    stopping.abort()

    expect(await query()).toBe('held')
    expect(pausing.pausedUntilMs()).toBe(0)
    expect(counted).toEqual([])
  })

  it('may go out at once when the pause is ended', async () => {
    const { pausing, query, broken } = aTransport(timeout, timeout)
    await query()
    pausing.endPause()
    expect(pausing.pausedUntilMs()).toBe(0)
    await query()

    expect(broken).toEqual(['1 timeout', '1 timeout'])
  })
})
