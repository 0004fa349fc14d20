import type { HistoryFailureCode } from '@svc/core/service'
import { HistoryError } from '../contract/history-error.ts'

/** Converts a failure of the database or the connection. Drops its text, which may quote a value. */
export function databaseErrorOf(error: unknown): HistoryError {
  if (error instanceof HistoryError) return error
  const own = error instanceof Error && 'code' in error ? error.code : ''
  // An error without a code is the driver's, told by its message.
  const shown =
    typeof own === 'string' && own !== '' ? own : error instanceof Error ? error.message : ''
  const closer = `${shown} ${closerLook(error)}`
  const [, code, ...said] = FAILURES.find(([form]) => form.test(shown) || form.test(closer)) ?? [
    null,
    ...(own === '' ? (['unreachable'] as const) : unknownFailure(shown)),
  ]
  return databaseError(code, ...said)
}

/**
 * Tells failures with the same code apart. Uses the server's routine, because the server's messages are translated, and the message of a pooler,
 * because a pooler has one code for everything and one language.
 */
function closerLook(error: unknown): string {
  const { code, routine, message } = error as Readonly<Record<string, unknown>>
  return code === '08P01' ? `${message}` : `${routine ?? ''} ${message}`
}

/** A failure of a database, with a clause and a remedy if the code is not enough. */
export function databaseError(
  code: HistoryFailureCode,
  clause: string = code,
  remedy: string | null = null,
): HistoryError {
  return new HistoryError(code, clause, remedy, 'postgres')
}

type Failure = readonly [code: HistoryFailureCode, clause?: string, remedy?: string]

function unknownFailure(code: string): Failure {
  return ['cannot_open', `the database answers with error ${code}`, 'Look into its log.']
}

const CORRECT_HOST = 'Start the server, or correct host and port in state_db.'

/**
 * SQLSTATE of the server, codes of Node's network and messages of the driver; the first match counts. See
 * https://www.postgresql.org/docs/15/errcodes-appendix.html.
 */
const FAILURES: readonly (readonly [RegExp, ...Failure])[] = [
  [
    /^53300 InitializeSessionUserId |^08P01 too many connections for role/,
    'busy',
    'the role may make no connection to the database, or has all that it may make',
    'Raise its limit (ALTER ROLE ... CONNECTION LIMIT -1), or end its other connections.',
  ],
  [
    /^53300 CheckMyDatabase |^08P01 too many connections for database/,
    'busy',
    'the database lets no connection in, or has all that it lets in',
    'Raise its limit (ALTER DATABASE ... CONNECTION LIMIT -1), or end other connections to it.',
  ],
  [
    /^55000 CheckMyDatabase |^08P01 .* not currently accepting connections/,
    'cannot_open',
    'the database is closed to connections',
    'Open it with ALTER DATABASE ... ALLOW_CONNECTIONS true.',
  ],
  [
    /^42501 CheckMyDatabase |^08P01 permission denied for database/,
    'not_permitted',
    'the role may not connect to the database',
    'Let it with GRANT CONNECT ON DATABASE ... TO ...',
  ],
  [
    // The routine of this one is that of a role that does not exist.
    /^(?:28000 \S+|08P01) .* is not permitted to log in/,
    'login_refused',
    'the role may not log in',
    'Let it with ALTER ROLE ... LOGIN, or name another one in state_db.',
  ],
  [
    /^08P01 .*statement pooling mode/,
    'cannot_open',
    'the pooler in front of the database gives each statement another connection',
    'Set pool_mode = transaction for it in the configuration of pgBouncer.',
  ],
  [
    /^08P01 no such database/,
    'cannot_open',
    'the pooler in front of the database knows no database of that name',
    'Add it to [databases] in the configuration of pgBouncer, or correct its name in state_db.',
  ],
  [/^08P01 (?:.*authentication failed|no such user)/, 'login_refused'],
  [/^08P01 no more connections allowed/, 'busy'],
  [
    /^(?:ENOTFOUND$|EAI_)/,
    'unreachable',
    'the host name of the database is not known',
    'Correct the host in state_db, or the name service of this machine.',
  ],
  [/^ECONNREFUSED$/, 'unreachable', 'nothing listens at the address of the database', CORRECT_HOST],
  [/^ENOENT$/, 'unreachable', 'the folder holds no socket of a database', CORRECT_HOST],
  [
    /^(?:ETIMEDOUT|E(?:HOST|NET)(?:UNREACH|DOWN)|timeout expired)$/,
    'unreachable',
    'the host of the database does not answer',
    'Check that it runs, and that no firewall stands in between.',
  ],
  [/^57P03$/, 'unreachable', 'the database is starting or stopping', 'Wait until it has started.'],
  [
    /^3D000$|^08P01 database .* does not exist/,
    'cannot_open',
    'the server has no database of that name',
    'Create it as init postgres writes how, or correct its name in state_db.',
  ],
  [
    /does not support SSL/,
    'not_trusted',
    'the server of the database does not encrypt',
    'Set ssl = on in its configuration, and give it a certificate for its host name.',
  ],
  [
    /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/,
    'not_trusted',
    'the certificate of the database is out of date',
    'Renew it, and check the clock of this machine.',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'not_trusted',
    'the certificate of the database is for another name',
    'Name a host of the certificate in state_db.',
  ],
  [
    /^(?:SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)_/,
    'not_trusted',
    'the certificate of the database is signed by an authority that this machine does not know',
    'Name the certificate of that authority with sslrootcert in state_db.',
  ],
  [/^(?:CERT|CRL|HOSTNAME|INVALID|UNABLE|ERR_TLS|ERR_SSL)_|^EPROTO$/, 'not_trusted'],
  [/^SASL/, 'login_refused'],
  [/^(?:08|57P0)|^E[A-Z]+$/, 'unreachable'],
  [/^28/, 'login_refused'],
  [/^42501$/, 'not_permitted'],
  [
    /^42(?:P07|703|809)$/,
    'not_permitted',
    'the schema of the history holds a table that this program did not make',
    'Rename that table, or let state_db name a database of its own.',
  ],
  [/^25006$/, 'read_only'],
  [/^53[12]00$/, 'disk_full'],
  [/^(?:53300|55P03|57014|40001|40P01)$/, 'busy'],
  [/^58/, 'io_error'],
  [/^XX00[12]$/, 'corrupt'],
]
