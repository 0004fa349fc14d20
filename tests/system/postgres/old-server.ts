import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** A server that says which version it is, and nothing else. */
export interface OldServer {
  readonly address: string
  close(): Promise<void>
}

/** Speaks as much of the protocol of PostgreSQL as it takes to be asked for the version, by a simple query. It hangs up at any other. */
export async function oldServer(version: number): Promise<OldServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    // The first message has no letter; it is the login, which anybody may have.
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', int32(0)), READY]))
      socket.on('data', (asked) => {
        if (asked.includes('SHOW server_version_num')) socket.write(oneRow(String(version)))
        else socket.destroy()
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = bound === null || typeof bound === 'string' ? 0 : bound.port
  return {
    address: `postgres://svc@127.0.0.1:${port}/history?sslmode=disable`,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const TEXT = 25

function oneRow(value: string): Buffer {
  const column = Buffer.concat([
    text('server_version_num'),
    int32(0),
    int16(0),
    int32(TEXT),
    int16(-1),
    int32(-1),
    int16(0),
  ])
  const cell = Buffer.concat([int32(value.length), Buffer.from(value)])
  return Buffer.concat([
    message('T', Buffer.concat([int16(1), column])),
    message('D', Buffer.concat([int16(1), cell])),
    message('C', text('SHOW')),
    READY,
  ])
}

function message(letter: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(letter), int32(body.length + 4), body])
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`)
}

/** Nothing is open: ask. */
const READY = message('Z', Buffer.from('I'))
