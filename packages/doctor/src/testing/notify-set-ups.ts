import type { NotifyKind } from '@svc/core/notify'
import { KEY, row, type SetUp, type SetUpRow, SOUND, type World } from './world.ts'

const TABLE = '[[notify]]\nname = "phone"\nurl_file = "notify-phone"\n'
const receiver =
  (address: string, { kind = 'webhook' as NotifyKind, mode = 0o600 } = {}) =>
  (world: World): SetUp => {
    world.file('notify-phone', address, mode)
    return { toml: `${TABLE}kind = "${kind}"` }
  }
/** Address on this machine without a listener. The key is its secret part. */
const HERE = `http://127.0.0.1:1/${KEY}`
const notify = (status: string, code: string) => `${status} notify ${code}`

export const notifySetUps: readonly SetUpRow[] = [
  row('a receiver of messages', SOUND, receiver(`${HERE}\n`)),
  row('a receiver of another kind', SOUND, receiver(HERE, { kind: 'ntfy' })),
  row('a receiver whose file is not there', notify('fail', 'missing'), {
    toml: `${TABLE}kind = "slack"`,
  }),
  row('a receiver whose file is empty', notify('fail', 'empty'), receiver('\n')),
  row(
    'a receiver whose file others can write',
    notify('fail', 'writable_by_others'),
    receiver(HERE, { mode: 0o666 }),
  ),
  row(
    'a receiver whose file others can read',
    notify('warn', 'readable_by_others'),
    receiver(HERE, { mode: 0o644 }),
  ),
  row('a receiver without an address', notify('fail', 'bad_address'), receiver(KEY)),
  row(
    'a receiver with a name before its address',
    notify('fail', 'bad_address'),
    receiver(`url = ${HERE}`),
  ),
  row(
    'a bot of Telegram without a chat',
    notify('fail', 'bad_address'),
    receiver(`https://127.0.0.1/bot1:${KEY}/sendMessage`, { kind: 'telegram' }),
  ),
  row(
    'a receiver at a host that nobody knows',
    notify('fail', 'unknown_host'),
    receiver(`https://nobody.invalid/${KEY}`),
  ),
  row(
    'a receiver whose address goes over the network in plain text',
    notify('warn', 'plain_http'),
    receiver(`http://192.0.2.1/${KEY}`),
  ),
]
