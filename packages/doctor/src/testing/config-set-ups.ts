import { KEY, row, type SetUpRow, SOUND } from './world.ts'

const MISTAKE = 'fail config.file'

export const configSetUps: readonly SetUpRow[] = [
  row('nothing but a key', SOUND, {}),
  row('an empty config file', SOUND, { toml: '' }),
  row('a config file with every kind of value', SOUND, {
    toml: 'refresh_seconds = 30\nallowed_hosts = ["quota.example.com"]\nalert_routable_min = "off"\nlog_format = "json"',
  }),
  row('a port out of range', `${MISTAKE} invalid_value`, { argv: ['--port', '80000'] }),
  row('a port in quotes', `${MISTAKE} invalid_value`, { toml: 'refresh_seconds = "15"' }),
  row('an unknown log level', `${MISTAKE} invalid_value`, {
    env: { SVC_QUOTA_MONITOR_LOG_LEVEL: 'loud' },
  }),
  row('a proxy without http://', `${MISTAKE} invalid_value`, {
    argv: ['--upstream-url', '127.0.0.1:8317'],
  }),
  row('a password in the address of the proxy', `${MISTAKE} invalid_value`, {
    argv: ['--upstream-url', `http://me:${KEY}@127.0.0.1:8317`],
  }),
  row('a path with the home folder of a shell', `${MISTAKE} invalid_value`, {
    toml: 'state_db = "~/history.db"',
  }),
  row('a store by the scheme of another program', `${MISTAKE} invalid_value`, {
    argv: ['--state-db', 'sqlite:///history.db'],
  }),
  row('an unknown time zone', `${MISTAKE} invalid_value`, {
    argv: ['--display-timezone', 'Mars/Olympus'],
  }),
  row('a wildcard as allowed host', `${MISTAKE} invalid_value`, { argv: ['--allowed-host', '*'] }),
  row('a config file that is not there', `${MISTAKE} missing_file`, {
    argv: ['--config', 'gone.toml'],
  }),
  row('a config file that cannot be read', `${MISTAKE} unreadable_file`, {
    toml: '',
    context: {
      readTextFile() {
        throw Object.assign(new Error('denied'), { code: 'EACCES' })
      },
    },
  }),
  row('TOML without a value', `${MISTAKE} invalid_toml`, { toml: 'port =' }),
  row('TOML with two =', `${MISTAKE} invalid_toml`, { toml: 'port = = 1' }),
  row('TOML with a text without quotes', `${MISTAKE} invalid_toml`, { toml: 'host = localhost' }),
  row('TOML with typographic quotes', `${MISTAKE} invalid_toml`, { toml: 'host = “localhost”' }),
  row('TOML with a path of Windows', `${MISTAKE} invalid_toml`, {
    toml: 'state_db = "C:\\Users\\me\\history.db"',
  }),
  row('TOML with a quote that stays open', `${MISTAKE} invalid_toml`, {
    toml: `management_key_file = "/etc/key\n`,
  }),
  row('TOML with a key twice', `${MISTAKE} invalid_toml`, { toml: 'port = 1\nport = 2' }),
  row('YAML as config file', `${MISTAKE} invalid_toml`, { toml: 'port: 4515\nhost: 127.0.0.1' }),
  row('JSON as config file', `${MISTAKE} invalid_toml`, { toml: '{"port": 4515}' }),
  row('a mistyped key', `${MISTAKE} unknown_key`, { toml: 'upstream_ulr = "x"' }),
  row('a key that is like none', `${MISTAKE} unknown_key`, { toml: 'colour = "red"' }),
  row('keys below a table', `${MISTAKE} unknown_key`, {
    toml: '[upstream]\nurl = "http://127.0.0.1:8317"',
  }),
  row('a mistyped variable', `${MISTAKE} unknown_key`, { env: { SVC_QUOTA_MONITOR_PROT: '4515' } }),
  row('the management key in the config file', `${MISTAKE} secret_not_allowed`, {
    toml: `management_key = "${KEY}"`,
  }),
  row('three mistakes at once', `${MISTAKE} several_mistakes`, {
    toml: 'refresh_seconds = 1\ncolour = 1',
    argv: ['--log-format', 'xml'],
  }),
  row('a queue to be read without a store', `${MISTAKE} conflict`, {
    argv: ['--usage-source', 'queue'],
  }),
  row('auth files to be read from nowhere', `${MISTAKE} conflict`, {
    argv: ['--quota-transport', 'auth-files'],
  }),
  row('variables that Kubernetes sets', SOUND, {
    env: {
      SVC_QUOTA_MONITOR_SERVICE_HOST: '10.0.0.7',
      SVC_QUOTA_MONITOR_PORT: 'tcp://10.0.0.7:4515',
      SVC_QUOTA_MONITOR_PORT_4515_TCP_ADDR: '10.0.0.7',
    },
  }),
  row('a version of Node that was tested', SOUND, { context: { nodeVersion: '24.0.0' } }),
  row('a version of Node that was not tested', 'warn node untested', {
    context: { nodeVersion: '99.1.0' },
  }),
  row('a machine that does not tell its time zone', 'warn time_zone unknown', {
    context: { hostTimeZone: null },
  }),
  row('a zone that is set where the machine tells none', SOUND, {
    argv: ['--display-timezone', 'UTC'],
    context: { hostTimeZone: null },
  }),
]
