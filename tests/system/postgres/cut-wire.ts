import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** A way to a server that is cut after so many bytes. */
export interface CutWire {
  readonly port: number
  /** Lets so many bytes more to the server; then every connection ends, with nothing said, until it is called again. */
  allow(bytes: number): void
  /** Bytes that have gone to the server. */
  sent(): number
  close(): Promise<void>
}

/** Leads to a port of 127.0.0.1. */
export async function cutWireTo(port: number): Promise<CutWire> {
  let [left, sent] = [Number.POSITIVE_INFINITY, 0]
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    const end = () => {
      near.destroy()
      far.destroy()
    }
    near.on('data', (bytes) => {
      const passed = bytes.subarray(0, left)
      left -= passed.byteLength
      sent += passed.byteLength
      far.write(passed, () => {
        if (left <= 0) end()
      })
    })
    far.pipe(near)
    for (const socket of [near, far]) socket.on('error', end).on('close', end)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return {
    port: address.port,
    allow(bytes) {
      left = bytes
    },
    sent: () => sent,
    async close() {
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
