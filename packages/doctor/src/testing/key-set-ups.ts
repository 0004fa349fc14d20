import { KEY, row, type SetUp, type SetUpRow, SOUND, type World } from './world.ts'

const NO_KEY = { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: '' }
const keyFile = (path: string): SetUp => ({ argv: ['--management-key-file', path], env: NO_KEY })
const utf16 = (mark = '') => Buffer.from(`${mark}${KEY}\r\n`, 'utf16le')
const holding = (text: string | Uint8Array, mode?: number) => (world: World) =>
  keyFile(world.file('key', text, mode))
const HASH = `$2a$10$${'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.'}`
const found = (code: string) => `fail management_key ${code}`

/** Set-ups of keys and their files. A key that cannot be right is not sent to the proxy. */
export const keySetUps: readonly SetUpRow[] = [
  row('no key', found('not_set'), { env: NO_KEY }),
  row('a key of blanks in the environment', found('not_set'), {
    env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: ' \n' },
  }),
  row('a key in a file', SOUND, holding(`${KEY}\n`)),
  row('a key file written on Windows', SOUND, holding(`\ufeff${KEY}\r\n`)),
  row('a key file mounted through links, as container platforms do', SOUND, (world) => {
    world.file('..2026/key', KEY)
    world.link('..data', '..2026')
    return keyFile(world.link('key', '..data/key'))
  }),
  row('a key in the environment beside a key file that is gone', SOUND, ({ at }) => ({
    argv: ['--management-key-file', at('gone')],
  })),
  row('a key file that is not there', found('missing'), ({ at }) => keyFile(at('gone'))),
  row('a link to a key file that is not there', found('missing'), (world) =>
    keyFile(world.link('key', 'gone')),
  ),
  row('an empty key file', found('empty'), holding('\n')),
  row('a key file that others can write', found('writable_by_others'), holding(KEY, 0o666)),
  row('a key file that the group can write', found('writable_by_others'), holding(KEY, 0o660)),
  row('a key file in a folder that others can write', found('writable_by_others'), (world) =>
    keyFile(`${world.folder('open', { key: KEY }, { folder: 0o777 })}/key`),
  ),
  row(
    'a key file that others can read',
    'warn management_key readable_by_others',
    holding(KEY, 0o644),
  ),
  row('a folder as key file', found('not_a_file'), (world) => keyFile(world.folder('key'))),
  row('a key file of 2 MiB', found('too_large'), holding('x'.repeat(2 ** 21))),
  row('a key file with two lines', found('several_lines'), holding('one\ntwo')),
  row('a key in the environment with two lines', found('several_lines'), {
    env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'one\ntwo' },
  }),
  row('a key file with blank lines around the key', SOUND, holding(`\n${KEY}\n  \n`)),
  row('a key of spaces', found('empty'), holding('   ')),
  row('a key with an umlaut', found('odd_characters'), holding('schlüssel')),
  row('a key file with a NUL', found('nul'), holding(`${KEY}\0`)),
  row('a key file in UTF-16', found('utf16'), holding(utf16('\ufeff'))),
  row('a key file in UTF-16 without a mark', found('utf16'), holding(utf16())),
  row('a key file in UTF-16 of the other order', found('utf16'), holding(utf16('\ufeff').swap16())),
  row(
    'a key file in UTF-16 of the other order without a mark',
    found('utf16'),
    holding(utf16().swap16()),
  ),
  row('a key in double quotes', found('quoted_key'), holding(`"${KEY}"`)),
  row('a key in single quotes', found('quoted_key'), holding(`'${KEY}'\n`)),
  row(
    'a key in quotes in the environment, as an env file of Docker keeps them',
    found('quoted_key'),
    {
      env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: `"${KEY}"` },
    },
  ),
  row('a variable in the key file', found('named_key'), holding(`MANAGEMENT_PASSWORD=${KEY}`)),
  row('KEY= in the key file', found('named_key'), holding(`KEY=${KEY}`)),
  row(
    'a line of a shell in the key file',
    found('named_key'),
    holding(`export MANAGEMENT_KEY="${KEY}"`),
  ),
  row(
    'a line of the configuration of the proxy in the key file',
    found('named_key'),
    holding(`secret-key: ${KEY}`),
  ),
  row('the hash of the key in the key file', found('hashed_key'), holding(HASH)),
  row('the hash of the key in quotes', found('hashed_key'), holding(`"${HASH}"`)),
  row('a header in the key file', found('bearer_key'), holding(`Bearer ${KEY}`)),
  row(
    'a variable that nobody filled in',
    found('placeholder_key'),
    holding('$PROXY_MANAGEMENT_KEY'),
  ),
  row('a placeholder in the key file', found('placeholder_key'), holding('<your management key>')),
  row('a key that ends as base64 does', SOUND, {
    env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'bWFuYWdlbWVudA==' },
    proxy: ({ settings }) => {
      settings.managementKey = 'bWFuYWdlbWVudA=='
    },
  }),
]
