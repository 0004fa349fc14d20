import { type PostgresServer, startPostgres } from './postgres-server.ts'

/** Databases for the tests of one file, on a server that is started with the first of them. */
export interface OwnDatabases {
  /** The server, which other test files use later; `remove` drops only the databases of this one. */
  server(): Promise<PostgresServer>
  /** The address of a new, empty database. */
  nextAddress(): Promise<string>
  /** Drops all of them, even with open connections. */
  remove(): Promise<void>
}

/** One server for all files that a process tests, because starting it takes longer than most of them. It ends with the process. */
let shared: Promise<PostgresServer> | null = null

/** The server starts with the first database. */
export function ownDatabases(): OwnDatabases {
  const names: string[] = []
  const server = async (): Promise<PostgresServer> => {
    shared ??= startPostgres()
    const running = await shared
    return {
      ...running,
      async createDatabase(options) {
        const name = await running.createDatabase(options)
        names.push(name)
        return name
      },
    }
  }
  return {
    server,
    async nextAddress() {
      const running = await server()
      return running.address(await running.createDatabase())
    },
    async remove() {
      const running = names.length > 0 ? await server() : null
      // The copies of a template before it.
      for (const name of names.splice(0).reverse())
        await running?.sql(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}
