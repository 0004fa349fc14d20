import { silentLog, virtualClock } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { SourceError } from '../polling/source-error.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { reportInto } from '../testing/live-source-options.ts'
import { createSourcePoll, keyedSourceOf, offSource, sourceOf } from './source.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A source that returns 7, or fails with `state.failure` if set. */
function aPoll(endpoint: string | null = 'auth-files') {
  const clock = virtualClock(settle)
  const heard: string[] = []
  const state: { failure: Error | null; reads: number } = { failure: null, reads: 0 }
  const poll = createSourcePoll<number>(
    {
      id: 'usage_statistics',
      endpoint,
      periodSeconds: 600,
      backoffSecondsMax: 300,
      heldForMs: () => 0,
      async poll() {
        state.reads += 1
        if (state.failure !== null) throw state.failure
        return 7
      },
      onSettled: ({ kind }) => void heard.push(`settled ${kind}`),
    },
    {
      clock,
      random: () => 0.5,
      log: silentLog,
      report: reportInto(heard),
      onChange: (change) => void heard.push(`change ${change}`),
    },
  )
  return { clock, heard, poll, state }
}

it('the first reading is news, and the same read again brings later times alone', async () => {
  const { heard, poll } = aPoll()
  await poll.pollAfresh()
  await poll.pollAfresh()
  await poll.stop()

  expect(heard).toEqual(['settled ok', 'change content', 'settled ok', 'change times'])
})

it.each<{ why: string; endpoint: string | null; failure: Error; counted: readonly string[] }>([
  {
    why: 'a call',
    endpoint: 'auth-files',
    failure: new UpstreamError('timeout', 'late'),
    counted: ['upstream_errors_total auth-files'],
  },
  {
    why: 'a source that calls nobody',
    endpoint: null,
    failure: new UpstreamError('timeout', 'late'),
    counted: [],
  },
  {
    why: 'this machine',
    endpoint: 'auth-files',
    failure: new SourceError('file_unreadable', 'gone'),
    counted: [],
  },
])('a failure of $why is counted as $counted, before anybody hears of it', async (row) => {
  const { heard, poll, state } = aPoll(row.endpoint)
  state.failure = row.failure
  await poll.pollAfresh()
  await poll.stop()

  expect(heard).toEqual([...row.counted, 'settled failed', 'change content'])
})

it('behind the key, what has failed or was not asked yet is tried again', async () => {
  const { clock, poll, state } = aPoll()
  const source = keyedSourceOf('usage_statistics', poll)
  source.retry()
  await clock.advance(0)
  source.retry()
  await clock.advance(0)
  expect(state.reads).toBe(1)

  state.failure = new UpstreamError('timeout', 'late')
  await poll.pollAfresh()
  source.retry()
  await clock.advance(0)
  await poll.stop()
  expect(state.reads).toBe(3)
})

it('a source is not read before somebody starts it', async () => {
  const { clock, poll, state } = aPoll()
  const source = sourceOf('usage_statistics', poll)
  source.start()
  source.retry()
  source.reload()
  await clock.advance(3_600_000)

  expect(state.reads).toBe(0)
  expect(source.reading()).toMatchObject({ outcome: { kind: 'pending' }, lastGood: null })
})

it('a source that is off says why, and can be stopped', async () => {
  const source = offSource('benchmark', 'not_configured')
  await source.stop()

  expect(source.reading()).toEqual({
    outcome: { kind: 'off', reason: 'not_configured' },
    failuresInARow: 0,
    lastGood: null,
  })
})
