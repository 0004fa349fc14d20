import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { keptFolder, type OwnFolder, ownFolder } from './own-folder.ts'
import { serverFolder, unprivileged } from './postgres-programs.ts'
import { freeLocalPort, SERVER_ENV, serverProcess } from './server-process.ts'

const run = promisify(execFile)
const SUPERUSER = 'postgres'
const ANSWER_BYTES_MAX = 256 * 1024 * 1024
const PSQL = [
  '--no-psqlrc',
  '--quiet',
  '--no-align',
  '--tuples-only',
  '--set=ON_ERROR_STOP=1',
  `--username=${SUPERUSER}`,
]
/** The role of the service: it owns the databases that are made for it, and nothing else. */
export const ROLE = 'svc'

/** Options of a server; without any it is fast and trusts everybody. */
export interface ServerOptions {
  /** Whether a commit waits for the disk. A process that is killed loses nothing without. */
  readonly fsync?: boolean
  /** Password of every role; null for none. */
  readonly password?: string | null
  /** PEM texts: the server offers TLS. */
  readonly certificate?: { readonly certificate: string; readonly key: string }
  readonly settings?: Readonly<Record<string, string | number>>
  /** Folder in which the server's own is made; the temporary folder if omitted. */
  readonly within?: string
  /** An existing folder that is neither created nor deleted; the server continues from its content. */
  readonly kept?: string
}

/** A server of PostgreSQL of this test alone, on a port of 127.0.0.1. */
export interface PostgresServer {
  readonly port: number
  readonly folder: string
  /** Creates a database that the service's role owns, or another role; copied from `template` if given. Returns its name. */
  createDatabase(options?: { readonly owner?: string; readonly template?: string }): Promise<string>
  /** Address of a database for a role; `parameters` decide about encryption. */
  address(database: string, role?: string, parameters?: string): string
  /** Runs statements as the superuser; rows come as lines, their columns separated by `|`. */
  sql(statements: string, database?: string): Promise<string>
  /** Begins a transaction as the superuser, and leaves it open until `release`. */
  hold(statements: string, database: string): Promise<{ release(): Promise<void> }>
  start(): Promise<void>
  /** Stops in order: open transactions are rolled back. */
  stop(): Promise<void>
  /** Stops as if its machine died. */
  kill(): Promise<void>
  /** Suspends all its processes until `thaw`. */
  freeze(): void
  thaw(): void
  isRunning(): boolean
  standby(settings?: ServerOptions['settings']): Promise<PostgresServer>
  promote(): Promise<void>
  /** Ends it with its standbys and deletes their folders, except a kept one. */
  remove(): Promise<void>
}

/** Creates and starts a server, which takes about a second. */
export async function startPostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  const folder = options.kept === undefined ? ownFolder(options.within) : keptFolder(options.kept)
  const data = join(folder.path, 'data')
  const password = options.password ?? null
  if (existsSync(join(data, 'PG_VERSION'))) {
    const server = serverIn(folder, await freeLocalPort(), options)
    await server.start()
    return server
  }
  await runAsServer('initdb', [
    `--pgdata=${data}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${folder.write('password', `${password ?? 'none'}\n`)}`,
    `--auth=${password === null ? 'trust' : 'scram-sha-256'}`,
    '--encoding=UTF8',
    '--no-locale',
    '--no-sync',
  ])
  appendSettings(data, settingsOf(folder, options))
  const server = serverIn(folder, await freeLocalPort(), options)
  await server.start()
  const secret = password === null ? '' : ` PASSWORD '${password}'`
  await server.sql(`CREATE ROLE ${ROLE} LOGIN${secret}`)
  return server
}

function serverIn(folder: OwnFolder, port: number, options: ServerOptions): PostgresServer {
  const data = join(folder.path, 'data')
  const env = { ...SERVER_ENV, PGPASSWORD: options.password ?? '', PGSSLMODE: 'prefer' }
  const host = ['--host=127.0.0.1', `--port=${port}`]
  const running = serverProcess({
    program: programOf('postgres'),
    args: ['-D', data, '-p', String(port)],
    log: join(folder.path, 'log'),
    isReady: () => isAccepting(port),
  })
  const standbys = new Set<PostgresServer>()
  let databases = 0
  const psql = (database: string) =>
    run(programOf('psql'), [...PSQL, ...host, `--dbname=${database}`], {
      env,
      maxBuffer: ANSWER_BYTES_MAX,
    })
  const sql: PostgresServer['sql'] = async (statements, database = 'postgres') => {
    const asked = psql(database)
    asked.child.stdin?.end(statements)
    return (await asked).stdout.trimEnd()
  }
  return {
    port,
    folder: folder.path,
    ...running,
    sql,
    async createDatabase({ owner = ROLE, template = 'template1' } = {}) {
      databases += 1
      const name = `history_${databases}`
      // One that a server before it has made, where the folder is kept.
      if (options.kept !== undefined) await sql(`DROP DATABASE IF EXISTS ${name}`)
      await sql(`CREATE DATABASE ${name} OWNER ${owner} TEMPLATE ${template}`)
      return name
    },
    address: (database, role = ROLE, parameters = 'sslmode=disable') =>
      `postgres://${role}@127.0.0.1:${port}/${database}?${parameters}`,
    async hold(statements, database) {
      const holding = psql(database)
      const { stdin, stdout } = holding.child
      stdin?.write(`BEGIN;\n${statements};\n\\echo held\n`)
      await Promise.race([holding, stdout && once(stdout, 'data')])
      return {
        async release() {
          stdin?.end('ROLLBACK;\n')
          await holding
        },
      }
    },
    stop: () => running.end('SIGINT'),
    async kill() {
      running.signalAll('SIGKILL')
      await running.end('SIGKILL')
    },
    freeze: () => running.signalAll('SIGSTOP'),
    thaw: () => running.signalAll('SIGCONT'),
    async standby(settings = {}) {
      const standby = await standbyOf({ host, env, settings, options })
      standbys.add(standby)
      return {
        ...standby,
        async promote() {
          await standby.promote()
          standbys.delete(standby)
        },
      }
    },
    async promote() {
      await runAsServer('pg_ctl', ['promote', '-D', data, '--wait'])
    },
    async remove() {
      running.signalAll('SIGCONT')
      // What is kept is left in order.
      await running.end(options.kept === undefined ? 'SIGQUIT' : 'SIGINT')
      folder.remove()
      for (const standby of standbys) await standby.remove()
    },
  }
}

async function standbyOf(primary: {
  readonly host: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly settings: NonNullable<ServerOptions['settings']>
  readonly options: ServerOptions
}): Promise<PostgresServer> {
  const folder = ownFolder(primary.options.within)
  const data = join(folder.path, 'data')
  const from = [...primary.host, `--username=${SUPERUSER}`]
  const how = ['--write-recovery-conf', '--checkpoint=fast', '--wal-method=stream', '--no-sync']
  await runAsServer('pg_basebackup', [`--pgdata=${data}`, ...from, ...how], primary.env)
  // It looks for its primary again at once, not after five seconds.
  appendSettings(data, { wal_retrieve_retry_interval: '100ms', ...primary.settings })
  const server = serverIn(folder, await freeLocalPort(), primary.options)
  await server.start()
  return server
}

function settingsOf(
  folder: OwnFolder,
  { fsync = false, certificate, settings = {} }: ServerOptions,
): NonNullable<ServerOptions['settings']> {
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    ...(fsync ? {} : { fsync: 'off', full_page_writes: 'off' }),
    ...(certificate === undefined
      ? {}
      : {
          ssl: 'on',
          ssl_cert_file: folder.write('server.crt', certificate.certificate),
          ssl_key_file: folder.write('server.key', certificate.key),
        }),
    ...settings,
  }
}

function appendSettings(data: string, settings: NonNullable<ServerOptions['settings']>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(join(data, 'postgresql.conf'), lines.join(''))
}

async function runAsServer(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = SERVER_ENV,
): Promise<void> {
  const { command, args: all, user } = unprivileged(programOf(name), args)
  await run(command, [...all], { ...user, env, cwd: '/' })
}

export function isAccepting(port: number): boolean {
  const args = ['--host=127.0.0.1', `--port=${port}`, `--username=${SUPERUSER}`, '--quiet']
  return spawnSync(programOf('pg_isready'), args, { env: SERVER_ENV }).status === 0
}

function programOf(name: string): string {
  const folder = serverFolder()
  if (folder === null) throw new Error('no server of PostgreSQL 15 or newer is installed')
  return join(folder, name)
}
