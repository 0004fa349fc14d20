import type { Context } from 'hono'
import { ConnectionDropped, type RawAnswer } from './faults.ts'

interface FakeSocket {
  readonly remoteAddress?: string | undefined
  write(bytes: string): unknown
  end(): unknown
  destroy(): unknown
  resetAndDestroy(): unknown
}

/** Input from the node server in addition to the request; absent if the app is called directly. */
export type FakeEnv = {
  Bindings: { readonly incoming?: { readonly socket: FakeSocket } }
}

const RESET_AFTER_MS = 20

/** Sends the bytes directly to the socket, after which the HTTP server must send nothing more. Throws ConnectionDropped without a socket. */
export function sendRaw({ bytes, ending }: RawAnswer, socket: FakeSocket | undefined): Response {
  if (socket === undefined) throw new ConnectionDropped('broken framing needs a socket')
  socket.write(bytes)
  // Waits, because a reset that overtakes the bytes would look like a dropped connection.
  if (ending === 'reset') setTimeout(() => socket.resetAndDestroy(), RESET_AFTER_MS)
  if (ending === 'close') socket.end()
  return new Response(null, { headers: { 'x-hono-already-sent': 'true' } })
}

/** The address that the ban counts by. The proxy believes forwarding headers from anyone (docs/upstream.md#management-access). */
export function clientAddress(c: Context<FakeEnv>): string {
  const forwarded =
    c.req.header('x-forwarded-for')?.split(',')[0]?.trim() ?? c.req.header('x-real-ip')
  return forwarded ?? c.env?.incoming?.socket.remoteAddress ?? '127.0.0.1'
}
