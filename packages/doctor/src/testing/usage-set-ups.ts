import type { FakeRoute, FakeSettings } from '@svc/fake-proxy'
import { row, type SetUp, type SetUpRow, SOUND } from './world.ts'

const STORE = ['--state-db', 'history.db']
const kept = (changes: Partial<FakeSettings>, more: readonly string[] = []): SetUp => ({
  argv: [...STORE, ...more],
  proxy: ({ settings }) => void Object.assign(settings, changes),
})
const failing = (route: FakeRoute, status: number): SetUp => ({
  argv: STORE,
  proxy: (fake) => fake.setFault(route, { kind: 'status', status }),
})

export const usageSetUps: readonly SetUpRow[] = [
  row('a store in front of a proxy with a queue', SOUND, kept({})),
  row(
    'a store in front of a queue that keeps records for four minutes',
    'warn upstream.queue_retention short',
    kept({ queueRetentionSeconds: 299 }),
  ),
  row(
    'a store in front of a queue that keeps records for five minutes',
    SOUND,
    kept({ queueRetentionSeconds: 300 }),
  ),
  row(
    'a store in front of an old proxy with a tree',
    SOUND,
    kept({ usage: 'legacy', version: 'v6.9.49' }),
  ),
  row('a v8 proxy without the section about usage', 'warn upstream.usage_statistics off', {
    ...kept({}),
    proxy(fake) {
      fake.become('v8-only')
      fake.settings.queueRetentionSeconds = 3_600
      fake.settings.usageSection = {
        'redis-usage-queue-retention-seconds': 3_600,
      }
    },
  }),
  row(
    'an old proxy asked for a queue',
    'fail upstream.usage wrong_source',
    kept({ usage: 'legacy' }, ['--usage-source', 'queue']),
  ),
  row(
    'a new proxy asked for a tree',
    'fail upstream.usage wrong_source',
    kept({}, ['--usage-source', 'legacy']),
  ),
  row(
    'a version that hands out no usage',
    'warn upstream.usage not_offered',
    kept({ usage: 'none', version: 'v6.10.3' }),
  ),
  row('a queue that answers 500', 'fail upstream.usage server_error', failing('usage-queue', 500)),
  row(
    'usage statistics that are off',
    'warn upstream.usage_statistics off',
    kept({ usageStatisticsEnabled: false }),
  ),
  row('usage statistics that are off, where nothing is kept', SOUND, {
    proxy: ({ settings }) => {
      settings.usageStatisticsEnabled = false
    },
  }),
  row(
    'usage statistics that are off, as usage_source is',
    SOUND,
    kept({ usageStatisticsEnabled: false }, ['--usage-source', 'off']),
  ),
  row(
    'usage statistics that answer 500',
    'fail upstream.usage_statistics server_error',
    failing('usage-statistics-enabled', 500),
  ),
  row(
    'a version that does not report usage statistics',
    SOUND,
    failing('usage-statistics-enabled', 404),
  ),
  row(
    'a queue that keeps records for 10 s',
    'warn upstream.queue_retention short',
    kept({ queueRetentionSeconds: 10 }),
  ),
  row('a queue that keeps records for 10 s, where nothing reads it', SOUND, {
    proxy: ({ settings }) => {
      settings.queueRetentionSeconds = 10
    },
  }),
  row(
    'a configuration that answers 500',
    'fail upstream.queue_retention server_error',
    failing('config', 500),
  ),
  row('a version that does not tell its configuration', SOUND, failing('config', 404)),
]
