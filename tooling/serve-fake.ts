import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Server as Listener, type Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { answerResp, type FakeUpstream } from '@svc/fake-proxy'
import { Hono } from 'hono'

/**
 * Calls methods of a running fake by hand: their arguments are posted to `/__control/<method>` as a JSON array, as `["auth-files", {"kind": "drop"}]` to
 * `setFault`; the e-mail or file of an account stands for the account. An object posted to `settings` changes these; `GET /__control/accounts` lists accounts.
 */
function createFakeControl(fake: FakeUpstream): Hono {
  const argumentOf = (given: unknown) =>
    fake.accounts.find(({ email, fileName }) => email === given || fileName === given) ?? given
  const control = new Hono().basePath('/__control')
  control.onError((error, c) => c.json({ error: error.message }, 400))
  control.get('/accounts', (c) =>
    c.json(fake.accounts.map(({ email, fileName, vendor }) => ({ email, fileName, vendor }))),
  )
  control.post('/settings', async (c) => {
    Object.assign(fake.settings, await c.req.json())
    return c.json({ status: 'ok' })
  })
  control.post('/:method', async (c) => {
    const method: unknown = Reflect.get(fake, c.req.param('method'))
    if (typeof method !== 'function') throw new Error('the fake has no such method')
    method.apply(fake, ((await c.req.json()) as readonly unknown[]).map(argumentOf))
    return c.json({ status: 'ok' })
  })
  return control
}

export interface ServedFake {
  /** Base URL, as in `http://127.0.0.1:8317`. */
  readonly url: string
  /** Refuses new connections and ends the existing ones. */
  close(): Promise<void>
  /** Listens again at the same address. */
  reopen(): Promise<void>
}

/** Observes a request before it is answered, and then its answer. */
type Witness = (request: Request, answer: () => Promise<Response>) => Promise<Response>

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
    const listener = createServer((socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', () => undefined)
      socket.once('data', (chunk) => {
        socket.pause()
        socket.unshift(chunk)
        // As the proxy tells the two apart on its only port.
        if (fake.settings.resp !== 'none' && /^[*$+:-]/.test(chunk.toString('latin1', 0, 1)))
          answerResp(fake, socket)
        else server.emit('connection', socket)
        socket.resume()
      })
    })
    return new Promise<Listener>((resolve, reject) => {
      listener.once('error', reject)
      listener.listen(wantedPort, '127.0.0.1', () => resolve(listener))
    })
  }
  const sockets = new Set<Socket>()
  let listener = await open(port)
  const { port: takenPort } = listener.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${takenPort}`,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
    async reopen() {
      listener = await open(takenPort)
    },
  }
}
