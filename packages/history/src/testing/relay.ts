import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A port that stays the same, whichever server is behind it. */
export interface Relay {
  readonly port: number
  /** Leads new connections to this port of 127.0.0.1, and cuts those there are. */
  aim(port: number): void
  /** Holds back what either side sends, as a network that drops everything, or lets all of that go on. */
  silence(isSilent: boolean): void
  /** Leaves connections open and silent for ever, as a firewall does that has forgotten them. Others are led, and those that come. */
  strand(how?: Stranding): void
  close(): Promise<void>
}

export interface Stranding {
  /** Only connections whose client has sent such a text. */
  readonly of?: RegExp
  /** Those that come and send it too. */
  readonly forever?: boolean
  /** Only what the server answers is lost. */
  readonly answersOnly?: boolean
  /** Port to which those that come are led, as when an address has moved. */
  readonly to?: number
}

/** Characters of a client that are remembered. */
const SAID_MAX = 65_536

/** Listens on a free port, and leads to another. */
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
