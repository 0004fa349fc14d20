import { LAG_SECONDS_MAX } from '@svc/core/health'
import { BAN_SECONDS, REFUSALS_TO_BAN } from '@svc/core/service'
import type { CheckId } from './finding.ts'
import {
  FREE_MEGABYTES_MIN,
  OUTGROWN_GIGABYTES,
  OUTGROWN_ROWS_PER_SECOND,
  QUEUE_SECONDS_ADVISED,
  SKEW_SECONDS_MAX,
  SLOW_SECONDS,
  TESTED_NODES,
} from './limits.ts'

/** The manual's row for a check: when it fails or warns, and the remedy. In Markdown. */
interface CheckWords {
  readonly when: string
  readonly remedy: string
}

/** One row per check; `npm run docs` generates the table of docs/reference.md from them. */
export const referenceRows: Readonly<Record<CheckId, CheckWords>> = {
  'config.file': {
    when: 'a file, flag or variable is not as it must be',
    remedy: 'correct the place it names; `print-config` shows what is in force',
  },
  node: {
    when: `this program was not tested on this version of Node; it was on ${TESTED_NODES.join(', ')}`,
    remedy: 'install one of these; nothing, where all works',
  },
  time_zone: { when: "this machine's zone is not known", remedy: 'set `display_timezone`' },
  management_key: {
    when: 'there is no key, its file is missing, empty, too large or open to others, or holds quotes, a name or a hash beside or instead of the key',
    remedy: 'write the bare key into the file, `chmod 600` it',
  },
  'upstream.address': {
    when: "`upstream_url` ends in a path of the proxy's API (`/v1`, `/v0/management`, `/v8/management`), is this service's own address, or is one to listen on (`0.0.0.0`)",
    remedy: 'the address of the proxy alone, as in `http://127.0.0.1:8317`',
  },
  'upstream.health': {
    when: 'the gateway does not answer with 2xx, answers slowly, redirects, or a login or a limit of calls is in front of it',
    remedy: 'start the proxy, correct `upstream_url` or `gateway_health_url`',
  },
  'upstream.transport': {
    when: 'plain http to another machine; `NODE_TLS_REJECT_UNAUTHORIZED` is 0; `NODE_EXTRA_CA_CERTS` names a file that cannot be read or holds no certificate',
    remedy: 'use https, or a tunnel; correct the variable',
  },
  'upstream.management': {
    when: `the key is refused, this address is banned, the management API is off, a Home or a node of one answers, another quota monitor answers there, the call never reached the proxy (login, redirect, certificate, http on a TLS port), or the answer took more than ${SLOW_SECONDS} s`,
    remedy:
      `put the right key in place **before** anything asks again: ${REFUSALS_TO_BAN} refusals are a ban of ${BAN_SECONDS / 60} minutes; ` +
      'on the proxy set `remote-management.secret-key` (`management.secret-key` with `config-version: 8`), and `allow-remote` beside it where the monitor runs elsewhere; for a certificate of your own authority start the service with `NODE_EXTRA_CA_CERTS`',
  },
  'upstream.providers': {
    when: 'never: it says whose vendors are asked for quota, and why others are not; which of them wait after a refusal is on the Health page',
    remedy: '`quota_probe_providers` names who is asked',
  },
  'upstream.version': {
    when: 'the proxy does not say its version',
    remedy: 'nothing, where it is a build of your own',
  },
  'upstream.generation': {
    when: 'never: it says whether the proxy is asked by the routes of v8 or by those of v6 and v7',
    remedy: 'nothing',
  },
  'upstream.plugins': {
    when: '[the plugin that routes by the ranking](operating.md#the-proxy-routes-by-the-ranking) is installed, and is not loaded, does not ask, is refused, or is not asked by the proxy; it also says whether the proxy can load one',
    remedy:
      '`init proxy-plugin` prints the lines for the configuration of the proxy, whose log says what it lacks',
  },
  'upstream.clock': {
    when: `clocks are more than ${SKEW_SECONDS_MAX} s apart; it fails above a day, where the service trusts no clock and takes no usage`,
    remedy: 'NTP on both sides',
  },
  'upstream.usage': {
    when: '`usage_source` does not fit the proxy, or its version hands out no usage; `subscribe` where the proxy speaks no RESP',
    remedy: '`usage_source = "auto"`; update the proxy',
  },
  'upstream.usage_statistics': {
    when: 'the proxy keeps no usage records',
    remedy:
      '`usage-statistics-enabled: true` in its configuration; with `config-version: 8` it is `observability.usage.usage-statistics-enabled`',
  },
  'upstream.queue_retention': {
    when: `unread records are kept for less than ${QUEUE_SECONDS_ADVISED} s`,
    remedy:
      '`redis-usage-queue-retention-seconds: 3600`; with `config-version: 8` it is `observability.usage.redis-usage-queue-retention-seconds`',
  },
  'upstream.queue_rival': {
    when: 'something else seems to read the queue (only a running service can tell)',
    remedy: 'let one program alone read it',
  },
  auth_dir: {
    when: 'the folder cannot be read, is empty, is open to others, or holds files that are broken, of another program or of another proxy; a warning where nothing reads it',
    remedy: '`chmod 700` the folder, `600` the files',
  },
  sqlite: {
    when: 'better-sqlite3 is missing, not compiled or of another Node, and this Node has no SQLite of its own; the one in use is too old; a warning while `state_db` is not set',
    remedy:
      'Node 24 or later, whose own SQLite is used: nothing is compiled there. Else the line that `doctor` prints, with the folders of this machine; after `npm install --global` it is `npm --prefix "$(npm root --global)/svc-quota-monitor/node_modules/better-sqlite3" run install`, in a clone `npm run sqlite`. It compiles with python3, make, g++ and the headers of Node where no ready-made binary can be fetched; `npm_config_nodedir` names the folder of those headers where they cannot be fetched either',
  },
  state_db: {
    when: 'the store cannot be opened as the service opens it: it is damaged, locked, of a newer version, not one of ours, or a link to nothing',
    remedy: 'see below; point `state_db` elsewhere',
  },
  'state_db.disk': {
    when: 'little room is left, or the history fills its disk within a week',
    remedy: `make room; below ${FREE_MEGABYTES_MIN} MB nothing more is stored`,
  },
  'state_db.file_system': {
    when: 'a network file system, where SQLite cannot lock; a warning on FUSE, virtiofs and cluster file systems, whose other side may open the same file',
    remedy: 'a disk of this machine',
  },
  'state_db.outgrown': {
    when: `the file is larger than ${OUTGROWN_GIGABYTES} GB, takes more than ${OUTGROWN_ROWS_PER_SECOND} requests a second on average, or is not rid of old requests in time`,
    remedy: 'move to PostgreSQL with `migrate-history`; see [PostgreSQL](operating.md#postgresql)',
  },
  'state_db.reachable': {
    when: 'the database cannot be reached, does not exist, or lets nobody else in, or a pooler in front of it is set so that it cannot be used',
    remedy: 'start it, correct `state_db`, raise `max_connections`',
  },
  'state_db.tls': {
    when: 'the server does not encrypt, or its certificate is not trusted, has expired, or is of another name',
    remedy:
      'a certificate for its host name; `sslrootcert` in `state_db` for an authority of your own',
  },
  'state_db.role': {
    when: 'the login is refused, the role may not connect, may only read, may not make its tables or does not own them, or it is a superuser',
    remedy: 'the password file; what `init postgres` writes',
  },
  'state_db.version': { when: 'the server is older than PostgreSQL 15', remedy: 'a newer one' },
  'state_db.lag': {
    when: `\`state_db_replica\` cannot be used, is no standby, or is more than ${LAG_SECONDS_MAX} s behind`,
    remedy: 'look at the replication, or remove the setting',
  },
  'state_db.partitions': {
    when: 'the tables are of a newer version of this program, or days are left that are older than `usage_retention_days`',
    remedy: 'update this program; end what keeps reading the table `usage`',
  },
  bind: {
    when: 'the port is taken by something else, by another monitor or by something that does not answer, or the address is not of this machine',
    remedy: 'another `host` or `port`',
  },
  service: {
    when: 'the service that runs here reports something to act on',
    remedy: 'its Health page',
  },
  listen_risk: {
    when: 'others can reach the listener',
    remedy: 'a reverse proxy with a login in front',
  },
  allowed_hosts: { when: 'an entry is a public suffix', remedy: 'the whole name of this service' },
  localhost: {
    when: 'the name also leads to another program',
    remedy: 'open `http://127.0.0.1:4515/`',
  },
  client_labels: {
    when: 'the file cannot be read, is not as it must be, is open to others, or labels one client twice',
    remedy: 'correct the line it names; `chmod 600`',
  },
  benchmark: {
    when: 'the file cannot be read or is not as it must be',
    remedy: 'correct the line it names',
  },
  price_file: {
    when: 'the file cannot be read, is larger than 16 MiB, has the shape of neither LiteLLM nor models.dev, or others could change it; the prices in force stay',
    remedy: 'fetch it again; `init prices` says how',
  },
  price_overrides: {
    when: 'the file cannot be read or is not as it must be; the prices in force stay',
    remedy: 'correct the line it names',
  },
  notify: {
    when: 'the `url_file` of a target is missing, empty or open to others, holds no address of its kind, one whose host name is not known, or plain http to another machine; nothing is sent',
    remedy:
      'write the address alone into the file, `chmod 600` it; `notify --test` sends a message',
  },
}
