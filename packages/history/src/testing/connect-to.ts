import { connectionOf } from '../postgres/address.ts'
import { openSession, type Session } from '../postgres/session.ts'

/** A bare connection to a database: what a store adds to it can be measured against it. */
export type Connection = Session

export function connectTo(address: string): Promise<Connection> {
  return openSession(connectionOf(address, null))
}
