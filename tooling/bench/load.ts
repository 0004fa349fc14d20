import { connect, type Socket } from 'node:net'

export interface Load {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
}

/** Completed requests per second with every connection always busy. Rejects when an answer has another status than the first. */
export async function saturate(load: Load): Promise<number> {
  let completed = 0
  const endsAt = performance.now() + load.seconds * 1000
  const started = performance.now()
  await eachConnection(load, (connection) => {
    const next = () => {
      if (performance.now() >= endsAt) return connection.close()
      connection.send(() => {
        completed += 1
        next()
      })
    }
    next()
  })
  return (completed * 1000) / (performance.now() - started)
}

/** What a timer can tell apart. */
const TIMER_MS = 1

/**
 * Latencies in milliseconds at a fixed rate of arrivals, counted from the moment a request was due: one that waits for a free connection waits on the
 * server's account, so no omission is coordinated.
 */
export async function arriveAt(requestsPerSecond: number, load: Load): Promise<readonly number[]> {
  const latencies: number[] = []
  const due: number[] = []
  const idle: Connection[] = []
  const started = performance.now()
  let arrivals = 0
  const dueAtOf = (arrival: number) => started + (arrival / requestsPerSecond) * 1000
  const serve = () => {
    while (due.length > 0 && idle.length > 0) {
      // In turn, so that none is idle for so long that the server closes it.
      const connection = idle.shift()
      const dueAt = due.shift()
      if (connection === undefined || dueAt === undefined) return
      connection.send(() => {
        latencies.push(performance.now() - dueAt)
        idle.push(connection)
        serve()
      })
    }
  }
  const total = Math.floor(requestsPerSecond * load.seconds)
  await eachConnection(load, (connection) => {
    idle.push(connection)
    if (idle.length < load.connections) return
    const tick = () => {
      const wanted = Math.min(
        total,
        Math.floor(((performance.now() - started) / 1000) * requestsPerSecond),
      )
      for (; arrivals < wanted; arrivals += 1) due.push(dueAtOf(arrivals + 1))
      serve()
      if (latencies.length === total) for (const each of idle) each.close()
      // A rate that leaves time for it sleeps, so that the load takes no processor from what it measures.
      else if (dueAtOf(arrivals + 1) - performance.now() > 2 * TIMER_MS) setTimeout(tick, TIMER_MS)
      else setImmediate(tick)
    }
    tick()
  })
  return latencies
}

interface Connection {
  /** Sends the request; `done` is called when its answer has come in whole. */
  send(done: () => void): void
  close(): void
}

/** Opens every connection and resolves when all are closed. */
async function eachConnection(load: Load, use: (connection: Connection) => void): Promise<void> {
  const { hostname, port, pathname } = new URL(load.url)
  const lines = Object.entries(load.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = Buffer.from(
    `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${lines.join('')}\r\n`,
  )
  let status: string | null = null
  const oneStatus = (seen: string) => {
    status ??= seen
    return seen === status
  }
  await Promise.all(
    Array.from(
      { length: load.connections },
      () =>
        new Promise<void>((resolve, reject) => {
          const socket = connect(Number(port), hostname)
          socket.setNoDelay(true)
          socket.once('error', reject)
          socket.once('close', resolve)
          socket.once('connect', () => use(connectionOn(socket, request, oneStatus)))
        }),
    ),
  )
}

function connectionOn(
  socket: Socket,
  request: Buffer,
  acceptable: (status: string) => boolean,
): Connection {
  let head = ''
  let missing = 0
  let done: () => void = () => undefined
  const finish = () => {
    head = ''
    done()
  }
  socket.on('data', (chunk: Buffer) => {
    if (missing > 0) {
      missing -= chunk.length
      if (missing === 0) finish()
      return
    }
    const before = head.length
    head += chunk.toString('latin1', 0, Math.min(chunk.length, 4096))
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    const status = head.slice(9, 12)
    if (!acceptable(status))
      return void socket.destroy(new Error(`an answer with status ${status}`))
    const length = status === '304' ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    missing = length - (before + chunk.length - end - 4)
    if (missing === 0) finish()
  })
  return {
    send(whenDone) {
      done = whenDone
      socket.write(request)
    },
    close: () => socket.destroy(),
  }
}
