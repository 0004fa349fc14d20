import { type PostgresServer, startPostgres } from './postgres-server.ts'

/** Databases of a server that is started with the first of them, for the tests of one file. */
export interface OwnDatabases {
  server(): Promise<PostgresServer>
  /** The address of a new, empty database. */
  nextAddress(): Promise<string>
  /** Ends the server, with all it holds. */
  remove(): Promise<void>
}

/** Starts nothing yet. */
export function ownDatabases(): OwnDatabases {
  let started: Promise<PostgresServer> | null = null
  const server = () => {
    started ??= startPostgres()
    return started
  }
  return {
    server,
    async nextAddress() {
      const running = await server()
      return running.address(await running.createDatabase())
    },
    async remove() {
      const running = await started?.catch(() => null)
      started = null
      await running?.remove()
    },
  }
}
