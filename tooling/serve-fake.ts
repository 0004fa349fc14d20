import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { FakeUpstream } from '@svc/fake-proxy'
import { createFakeControl } from './fake-control.ts'

export interface ServedFake {
  /** Base URL, as in `http://127.0.0.1:8317`. */
  readonly url: string
  /** Refuses connections and ends those there are. */
  close(): Promise<void>
  /** Listens again at the same address. */
  reopen(): Promise<void>
}

/** Sees a request before it is answered, and what the answer is. */
export type Witness = (request: Request, answer: () => Promise<Response>) => Promise<Response>

/** Serves the fake on the loopback address; port 0 takes a free one. `/__control/` changes it by hand. Rejects when the port is taken. */
export async function serveFake(
  fake: FakeUpstream,
  port: number,
  witness: Witness = (_request, answer) => answer(),
): Promise<ServedFake> {
  const control = createFakeControl(fake)
  const open = (wantedPort: number) => {
    // The adapter makes a plain HTTP/1.1 server by default.
    const server = createAdaptorServer({
      fetch: (request, env) =>
        new URL(request.url).pathname.startsWith('/__control/')
          ? control.fetch(request)
          : witness(request, async () =>
              fake.app.fetch(request, { incoming: { socket: env.incoming.socket } }),
            ),
    }) as Server
    return new Promise<Server>((resolve, reject) => {
      server.once('error', reject)
      server.listen(wantedPort, '127.0.0.1', () => resolve(server))
    })
  }
  let server = await open(port)
  const { port: takenPort } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${takenPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    async reopen() {
      server = await open(takenPort)
    },
  }
}
