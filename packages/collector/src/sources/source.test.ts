import { silentLog, virtualClock } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { SourceError } from '../polling/source-error.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { reportInto } from '../testing/live-source-options.ts'
import { createSourcePoll } from './source.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A source that returns 7, or fails with `state.failure` if set. */
function aPoll(endpoint: string | null = 'auth-files') {
  const heard: string[] = []
  const state: { failure: Error | null } = { failure: null }
  const poll = createSourcePoll<number>(
    {
      id: 'usage_statistics',
      endpoint,
      periodSeconds: 600,
      backoffSecondsMax: 300,
      heldForMs: () => 0,
      async poll() {
        if (state.failure !== null) throw state.failure
        return 7
      },
      onSettled: ({ kind }) => void heard.push(`settled ${kind}`),
    },
    {
      clock: virtualClock(settle),
      random: () => 0.5,
      log: silentLog,
      report: reportInto(heard),
      onChange: (change) => void heard.push(`change ${change}`),
    },
  )
  return { heard, poll, state }
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
