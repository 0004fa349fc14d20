import { Redacted } from '@svc/core/service'
import { fixedClock } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { fetchSchedulerPlugin } from './scheduler-plugin.ts'
import { createUpstreamClient } from './upstream-client.ts'

const read = (body: unknown) =>
  fetchSchedulerPlugin(
    createUpstreamClient('http://127.0.0.1:8317', {
      clock: fixedClock(),
      fetch: async () => Response.json(body),
    }),
    {
      key: new Redacted('key'),
      seconds: 10,
      stop: new AbortController().signal,
      bytesMax: 1_000_000,
    },
  )
const listed = (entry: unknown, plugins_enabled: unknown = true) => ({
  plugins_enabled,
  plugins: [7, null, { id: 'other' }, entry],
})

it.each<readonly [what: string, body: unknown, expected: unknown]>([
  ['an empty list', { plugins_enabled: true, plugins: [] }, null],
  ['entries that are none', listed(null), null],
  [
    'an entry of its name alone',
    listed({ id: 'quota-scheduler', enabled: true }),
    { version: null, state: 'not_loaded', others: [] },
  ],
  [
    'an entry with metadata that are none',
    listed({ id: 'quota-scheduler', enabled: true, effective_enabled: true, metadata: 'x' }),
    { version: null, state: 'on', others: [] },
  ],
  [
    'a file of another name',
    listed({
      id: 'mine',
      enabled: true,
      effective_enabled: true,
      metadata: { name: 'quota-scheduler', version: '0.2.0' },
    }),
    { version: '0.2.0', state: 'on', others: [] },
  ],
  [
    'a proxy that does not say whether it loads any',
    listed({ id: 'quota-scheduler', enabled: true }, null),
    { version: null, state: 'all_off', others: [] },
  ],
  [
    'an entry that does not say whether it is used',
    listed({ id: 'quota-scheduler' }),
    { version: null, state: 'off', others: [] },
  ],
  [
    'another plugin in use, and one that is not',
    {
      plugins_enabled: true,
      plugins: [
        { id: 'affinity', effective_enabled: true },
        { id: 'affinity\u001b[2J', effective_enabled: true },
        { id: 'idle', effective_enabled: false },
        { id: 'quota-scheduler', enabled: true, effective_enabled: true },
      ],
    },
    { version: null, state: 'on', others: ['affinity'] },
  ],
])('%s is read', async (_, body, expected) => {
  expect(await read(body)).toEqual(expected)
})

it.each([[[]], [{}], [{ plugins: 7 }], [null]])('%j is refused', async (body) => {
  await expect(read(body)).rejects.toMatchObject({ code: 'bad_payload' })
})
