import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Server as Listener, type Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import {
  answerResp,
  type FakeFault,
  type FakeUpstream,
  fakeFaultKinds,
  fakeGenerations,
  fakeQuotaForms,
  fakeRoutes,
  vendorBehaviours,
  vendorRefusals,
} from '@svc/fake-proxy'
import { Hono } from 'hono'

type Fields = Readonly<Record<string, unknown>>

const MANAGEMENT_STATES = ['open', 'disabled', 'remote_refused', 'key_not_set'] as const

/**
 * Changes a running fake by hand: `GET /__control/accounts`, and JSON posted to `/__control/`
 * `fault` {route, kind, status?, body?, delayMs?, once?} (kind `none` ends it), `vendor` {account, behaviour}, `traffic` {account, success?, failed?},
 * `disable`, `enable`, `remove` {account}, `rename` {account, fileName}, `management` {state}, `clock` {aheadMs}, `generation` {is} and `restart` {}. An account is named by e-mail or file.
 */
function createFakeControl(fake: FakeUpstream): Hono {
  const actions: Readonly<Record<string, (fields: Fields) => void>> = {
    fault(fields) {
      const route = oneOf(fakeRoutes, fields.route, 'route')
      if (fields.kind === 'none') fake.setFault(route, null)
      else if (fields.once === true) fake.failNext(route, faultOf(fields))
      else fake.setFault(route, faultOf(fields))
    },
    vendor: (fields) =>
      fake.setVendor(
        accountOf(fields),
        oneOf(
          [...vendorBehaviours, ...vendorRefusals, ...fakeQuotaForms],
          fields.behaviour,
          'behaviour',
        ),
      ),
    traffic: (fields) =>
      fake.traffic(accountOf(fields), {
        success: countOf(fields.success),
        failed: countOf(fields.failed),
      }),
    disable: (fields) => fake.disable(accountOf(fields)),
    enable: (fields) => fake.enable(accountOf(fields)),
    remove: (fields) => fake.remove(accountOf(fields)),
    rename: (fields) => fake.rename(accountOf(fields), textOf(fields.fileName, 'fileName')),
    management(fields) {
      fake.settings.management = oneOf(MANAGEMENT_STATES, fields.state, 'state')
    },
    clock(fields) {
      fake.settings.clockAheadMs = countOf(fields.aheadMs)
    },
    generation: (fields) => fake.become(oneOf(fakeGenerations, fields.is, 'is')),
    restart: () => fake.restart(),
  }

  const accountOf = (fields: Fields) => {
    const account = fake.accounts.find(
      ({ email, fileName }) => email === fields.account || fileName === fields.account,
    )
    return account ?? refuse('account: no such e-mail or file name')
  }

  const control = new Hono().basePath('/__control')
  control.onError((error, c) => c.json({ error: error.message }, 400))
  control.get('/accounts', (c) =>
    c.json(
      fake.accounts.map((account) => ({
        email: account.email,
        fileName: account.fileName,
        vendor: account.vendor,
      })),
    ),
  )
  control.post('/:action', async (c) => {
    const fields: unknown = await c.req.json()
    if (typeof fields !== 'object' || fields === null) refuse('body: expected a JSON object')
    const name = oneOf(Object.keys(actions), c.req.param('action'), 'action')
    actions[name]?.(fields as Fields)
    return c.json({ status: 'ok' })
  })
  return control
}

/** Faults that need no further field. */
const plainFaultKinds = fakeFaultKinds.filter(
  (kind) => kind !== 'status' && kind !== 'delay' && kind !== 'body',
)

function faultOf(fields: Fields): FakeFault {
  switch (fields.kind) {
    case 'status': {
      const body = fields.body === undefined ? {} : { body: textOf(fields.body, 'body') }
      return { kind: 'status', status: countOf(fields.status), ...body }
    }
    case 'delay':
      return { kind: 'delay', delayMs: countOf(fields.delayMs) }
    case 'body':
      return { kind: 'body', body: textOf(fields.body, 'body') }
    default:
      return { kind: oneOf(plainFaultKinds, fields.kind, 'kind') }
  }
}

function oneOf<Name extends string>(names: readonly Name[], value: unknown, field: string): Name {
  return names.find((name) => name === value) ?? refuse(`${field}: one of ${names.join(', ')}`)
}

function textOf(value: unknown, field: string): string {
  return typeof value === 'string' ? value : refuse(`${field}: expected text`)
}

/** A whole number from 0; left out means 0. */
function countOf(value: unknown): number {
  if (value === undefined) return 0
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : refuse('expected a whole number from 0')
}

function refuse(message: string): never {
  throw new Error(message)
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
