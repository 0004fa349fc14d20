import { join } from 'node:path'
import { ownFolder } from './own-folder.ts'
import { bouncerProgram } from './postgres-programs.ts'
import { isAccepting, type PostgresServer, ROLE } from './postgres-server.ts'
import { freeLocalPort, serverProcess } from './server-process.ts'

/** pgBouncer in front of a server. */
export interface Bouncer {
  readonly port: number
  address(database: string): string
  remove(): Promise<void>
}

/** Starts pgBouncer so that each transaction may get another connection, of `poolSize` in all. */
export async function startBouncer(server: PostgresServer, poolSize = 2): Promise<Bouncer> {
  const program = bouncerProgram()
  if (program === null) throw new Error('pgbouncer is not installed')
  const folder = ownFolder()
  const port = await freeLocalPort()
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: folder.write('users', `"${ROLE}" ""\n`),
    pool_mode: 'transaction',
    default_pool_size: poolSize,
    // So that a statement does not find the connection it had the last time.
    server_round_robin: 1,
    // It asks a server that was away again after a second, not after fifteen.
    server_login_retry: 1,
  }
  const settingsFile = folder.write(
    'bouncer.ini',
    [
      '[databases]',
      `* = host=127.0.0.1 port=${server.port}`,
      '[pgbouncer]',
      ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
      '',
    ].join('\n'),
  )
  const process = serverProcess({
    program,
    args: [settingsFile],
    log: join(folder.path, 'log'),
    isReady: () => isAccepting(port),
  })
  await process.start()
  return {
    port,
    address: (database) => `postgres://${ROLE}@127.0.0.1:${port}/${database}?sslmode=disable`,
    async remove() {
      await process.end('SIGTERM')
      folder.remove()
    },
  }
}
