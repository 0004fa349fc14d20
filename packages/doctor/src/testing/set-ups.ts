import { configSetUps } from './config-set-ups.ts'
import { databaseSetUps } from './database-set-ups.ts'
import { fileSetUps } from './file-set-ups.ts'
import { keySetUps } from './key-set-ups.ts'
import { listenerSetUps } from './listener-set-ups.ts'
import { notifySetUps } from './notify-set-ups.ts'
import { proxySetUps } from './proxy-set-ups.ts'
import { storeSetUps } from './store-set-ups.ts'
import { usageSetUps } from './usage-set-ups.ts'
import { row, type SetUpRow } from './world.ts'

const everything = row(
  'everything broken at once',
  [
    'fail management_key missing',
    'fail upstream.address path_in_url',
    'fail auth_dir missing',
    'fail state_db cannot_open',
    'fail bind foreign_address',
    'warn listen_risk open_refresh',
    'warn allowed_hosts public_suffix',
    'fail client_labels file_unreadable',
    'fail benchmark file_unreadable',
  ],
  {
    env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: '' },
    toml: [
      'management_key_file = "gone/key"',
      'auth_dir = "gone"',
      'quota_transport = "auth-files"',
      'state_db = "gone/history.db"',
      'host = "192.0.2.1"',
      'manual_quota_refresh_auth = "none"',
      'allowed_hosts = ["com"]',
      'client_labels_file = "gone.json"',
      'benchmark_summary = "gone.json"',
    ].join('\n'),
    argv: ['--upstream-url', 'http://127.0.0.1:1/v1'],
  },
)

/** Every set-up, sound and broken, with the findings doctor must report. A new check, or a set-up on which doctor was wrong, becomes a row here. */
export const setUps: readonly SetUpRow[] = [
  ...configSetUps,
  ...keySetUps,
  ...proxySetUps,
  ...usageSetUps,
  ...storeSetUps,
  ...databaseSetUps,
  ...fileSetUps,
  ...listenerSetUps,
  ...notifySetUps,
  everything,
]
