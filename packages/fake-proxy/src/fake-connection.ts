import type { Context } from 'hono'
import { ConnectionDropped, type RawAnswer } from './faults.ts'

interface FakeSocket {
  readonly remoteAddress?: string | undefined
  write(bytes: string): unknown
  end(): unknown
  destroy(): unknown
  resetAndDestroy(): unknown
}

/** What the node server hands in besides the request; absent when the app is called directly. */
export type FakeEnv = {
  Bindings: { readonly incoming?: { readonly socket: FakeSocket } }
}

const RESET_AFTER_MS = 20

/** Sends the bytes past the HTTP server, which then must send nothing more. Throws ConnectionDropped where there is no socket. */
export function sendRaw({ bytes, ending }: RawAnswer, socket: FakeSocket | undefined): Response {
  if (socket === undefined) throw new ConnectionDropped('broken framing needs a socket')
  socket.write(bytes)
  // A reset that overtakes the bytes would only be a dropped connection.
  if (ending === 'reset') setTimeout(() => socket.resetAndDestroy(), RESET_AFTER_MS)
  if (ending === 'close') socket.end()
  return new Response(null, { headers: { 'x-hono-already-sent': 'true' } })
}

/** The address the ban counts for. The proxy believes forwarding headers from anyone (docs/upstream.md#management-access). */
export function clientAddress(c: Context<FakeEnv>): string {
  const forwarded =
    c.req.header('x-forwarded-for')?.split(',')[0]?.trim() ?? c.req.header('x-real-ip')
  return forwarded ?? c.env?.incoming?.socket.remoteAddress ?? '127.0.0.1'
}
