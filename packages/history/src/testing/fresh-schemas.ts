import { migrate } from '../postgres/migrate.ts'
import type { Session } from '../postgres/session.ts'
import { connectTo } from './connect-to.ts'
import { ownDatabases } from './own-databases.ts'

/** A database of PostgreSQL with the empty schema of a store. */
export interface FreshSchema {
  readonly address: string
  readonly session: Session
  /** Rows of a statement, as lists. */
  rows(sql: string): Promise<unknown[][]>
}

/** Databases for the tests of one file, on a server that is started with the first of them. */
export interface FreshSchemas {
  next(): Promise<FreshSchema>
  remove(): Promise<void>
}

/** The server starts with the first database. */
export function freshSchemas(): FreshSchemas {
  const databases = ownDatabases()
  const sessions: Session[] = []
  let template: Promise<string> | null = null
  const opened = async (address: string) => {
    const session = await connectTo(address)
    sessions.push(session)
    return session
  }
  const closeAll = () => Promise.all(sessions.splice(0).map((session) => session.close()))
  const makeTemplate = async () => {
    const address = await databases.nextAddress()
    await migrate(await opened(address))
    // Nobody may be connected to what is copied.
    await closeAll()
    return new URL(address).pathname.slice(1)
  }
  return {
    async next() {
      template ??= makeTemplate()
      const server = await databases.server()
      const address = server.address(await server.createDatabase({ template: await template }))
      const session = await opened(address)
      return {
        address,
        session,
        rows: async (sql) => (await session.rows(sql)).map((row) => Object.values(row)),
      }
    },
    async remove() {
      await closeAll()
      await databases.remove()
    },
  }
}
