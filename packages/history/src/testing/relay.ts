import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A fixed port in front of changing servers. */
export interface Relay {
  readonly port: number
  /** Sends new connections to this port of 127.0.0.1, and cuts existing ones. */
  aim(port: number): void
  /** Holds back the traffic of both sides, like a network that drops everything, or lets it continue. */
  silence(isSilent: boolean): void
  /** Leaves connections open and silent for ever, like a firewall that has forgotten them. Other and new connections work. */
  strand(how?: Stranding): void
  close(): Promise<void>
}

export interface Stranding {
  /** Only connections whose client has sent such a text. */
  readonly of?: RegExp
  /** New connections that send it as well. */
  readonly forever?: boolean
  /** Only the server's answers are lost. */
  readonly answersOnly?: boolean
  /** Port for new connections, as after an address has moved. */
  readonly to?: number
}

/** Maximum number of characters of a client that are remembered. */
const SAID_MAX = 65_536

/** Listens on a free port and forwards to another. */
export async function startRelay(firstPort: number): Promise<Relay> {
  let target = firstPort
  const sockets = new Set<Socket>()
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  let isSilent = false
  let stranding: Stranding | null = null
  const changed = new Set<() => void>()
  const strandable = new Set<(how: Stranding) => void>()
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    let said = ''
    let stranded: Stranding | null = null
    const strand = (how: Stranding) => {
      if (stranded !== null || how.of?.test(said) === false) return
      stranded = how
      for (const lead of leads) lead()
    }
    const leads = (
      [
        [near, far],
        [far, near],
      ] as const
    ).map(([one, other]) => {
      sockets.add(one)
      const lead = () => {
        const isLost = stranded !== null && (one === far || stranded.answersOnly !== true)
        if (isSilent || isLost) one.unpipe(other).pause()
        else if (one.destroyed) other.destroy()
        else one.unpipe(other).pipe(other)
      }
      changed.add(lead)
      one.on('error', () => undefined)
      one.on('close', () => {
        sockets.delete(one)
        // The other side learns nothing of it meanwhile.
        if (isSilent || stranded !== null) return
        changed.delete(lead)
        other.destroy()
      })
      return lead
    })
    near.on('data', (bytes) => {
      said = (said + bytes.toString('latin1')).slice(-SAID_MAX)
      if (stranding?.forever === true) strand(stranding)
    })
    strandable.add(strand)
    for (const lead of leads) lead()
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
    strand(how = {}) {
      stranding = how
      target = how.to ?? target
      for (const strand of strandable) strand(how)
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
