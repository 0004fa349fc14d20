import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

/**
 * What the client of a running service needs of `fetch`. Node's own takes longer to load than the rest of a command that asks one thing.
 * Redirects are not followed.
 */
export const lightFetch = (async (address: string, init: RequestInit = {}) => {
  const { request } = await (address.startsWith('https:')
    ? import('node:https')
    : import('node:http'))
  const { method = 'GET', body, signal } = init
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = (init.headers ?? {}) as Record<string, string>
    const sent = request(address, { method, headers, ...(signal ? { signal } : {}) }, resolve)
    sent.on('error', reject).end(body ?? undefined)
  })
  // Reading the body fails too; without a listener the error would end the process.
  message.on('error', () => undefined)
  const status = message.statusCode ?? 0
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name: string) => message.headers[name.toLowerCase()]?.toString() ?? null },
    text: () => text(message),
    get body() {
      return Readable.toWeb(message)
    },
  }
}) as unknown as typeof fetch
