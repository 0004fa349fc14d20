import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Which way bytes go: statements to the server, or its answers. */
export type Way = 'asked' | 'answered'

/** Stands between the service and a database server, and can cut every connection at a byte. */
export interface CuttingProxy {
  readonly port: number
  /** Counts bytes from now on, and notes them. The service must be waiting for nothing. */
  watch(): void
  /** After how many bytes each statement, or each answer, that was watched had ended. */
  endsOf(way: Way): readonly number[]
  /** Lets so many more bytes through on one way, then ends every connection. */
  cutAfter(way: Way, bytes: number): void
  /** From now on everything passes again. */
  mend(): void
  close(): Promise<void>
}

/** Messages that end a statement, and one that ends an answer, by their first byte. */
const LAST_MESSAGES: Readonly<Record<Way, string>> = { asked: 'QS', answered: 'Z' }

export async function startCuttingProxy(serverPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let watched: Readonly<Record<Way, Buffer[]>> | null = null
  let cut: { readonly way: Way; left: number } | null = null

  const destroyAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const pass = (way: Way, chunk: Buffer, to: Socket) => {
    // Nor does an answer come to what was let through last.
    if (cut?.left === 0) return
    watched?.[way].push(chunk)
    if (cut === null || cut.way !== way || chunk.length < cut.left) {
      if (cut?.way === way) cut.left -= chunk.length
      to.write(chunk)
      return
    }
    // What is let through arrives before the connection ends.
    to.write(chunk.subarray(0, cut.left), destroyAll)
    cut.left = 0
  }
  const listener = createServer((client) => {
    const server = connect(serverPort, '127.0.0.1')
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        server.destroy()
      })
    }
    client.on('data', (chunk) => pass('asked', chunk, server))
    server.on('data', (chunk) => pass('answered', chunk, client))
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    watch() {
      watched = { asked: [], answered: [] }
    },
    endsOf: (way) => endsIn(Buffer.concat(watched?.[way] ?? []), LAST_MESSAGES[way]),
    cutAfter(way, bytes) {
      cut = { way, left: bytes }
    },
    mend() {
      cut = null
      watched = null
    },
    async close() {
      destroyAll()
      listener.close()
      await once(listener, 'close')
    },
  }
}

/** A message is its kind, a length of four bytes that counts itself, and as much as that. */
function endsIn(bytes: Buffer, lastKinds: string): readonly number[] {
  const ends: number[] = []
  for (let at = 0; at < bytes.length; ) {
    const kind = String.fromCharCode(bytes.readUInt8(at))
    at += 1 + bytes.readInt32BE(at + 1)
    if (lastKinds.includes(kind)) ends.push(at)
  }
  return ends
}
