import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A port that stays the same, whichever server is behind it. */
export interface Relay {
  readonly port: number
  /** Leads new connections to this port of 127.0.0.1, and cuts those there are. */
  aim(port: number): void
  /** Holds back what either side sends, as a network that drops everything, or lets all of that go on. */
  silence(isSilent: boolean): void
  close(): Promise<void>
}

/** Listens on a free port, and leads to another. */
export async function startRelay(firstPort: number): Promise<Relay> {
  let target = firstPort
  const sockets = new Set<Socket>()
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  let isSilent = false
  const changed = new Set<() => void>()
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      const lead = () => {
        if (one.destroyed) other.destroy()
        else if (isSilent) one.unpipe(other).pause()
        else one.pipe(other)
      }
      lead()
      changed.add(lead)
      one.on('error', () => undefined)
      one.on('close', () => {
        sockets.delete(one)
        // The other side learns nothing of it meanwhile.
        if (isSilent) return
        changed.delete(lead)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return {
    port: address.port,
    aim(port) {
      target = port
      cut()
    },
    silence(next) {
      isSilent = next
      for (const lead of changed) lead()
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
