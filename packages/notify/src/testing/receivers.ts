import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DeliveredNotice, Notice, NotifyKind, NotifyTarget } from '@svc/core/notify'
import type { Clock } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import type { NotifyWords } from '../delivery.ts'

export const words: NotifyWords = {
  heading: (firing, resolved) => `${firing} open, ${resolved} over`,
  resolved: 'Over',
  times: (count) => `${count} times`,
  omitted: (count) => `and ${count} more`,
  test: 'This is a test.',
}

/** Real deadlines with a fixed wall clock. */
export const realClock: Clock = {
  now: () => NOW,
  monotonicMs: () => performance.now(),
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs)
    return () => clearTimeout(timer)
  },
}

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const closers: (() => void)[] = []

/** Closes every receiver, with its connections, and deletes every file with an address. */
export function closeReceivers(): void {
  for (const close of closers.splice(0)) close()
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export async function aReceiver(
  answer: RequestListener = (_, response) => response.end('ok'),
): Promise<{ readonly url: string; readonly seen: readonly Received[] }> {
  const seen: Received[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      seen.push({ method, path, headers, body: Buffer.concat(parts).toString() })
      answer(request, response)
    })
  })
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: await listen(server), seen }
}

export async function aRawReceiver(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return await listen(server)
}

/** A file with this text that only we can read, in a folder of its own. */
export function anAddressFile(text: string, name = 'address'): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'notify-'))
  closers.push(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

export function aTarget(
  kind: NotifyKind,
  address: string,
  changes: Partial<NotifyTarget> = {},
): NotifyTarget {
  return {
    name: 'phone',
    kind,
    urlFile: anAddressFile(`${address}\n`),
    on: ['action', 'recovered', 'vendor_reset', 'runway', 'subscription'],
    minTone: 'bad',
    names: false,
    quiet: null,
    quietBad: false,
    ...changes,
  }
}

export function aNotice(id: string, changes: Partial<Notice> = {}): Notice {
  const about = { topic: 'action', code: id.split(':')[0] ?? id, tone: 'bad', count: 1 } as const
  const texts = { title: `Title of ${id}`, summary: `Summary of ${id}.` }
  return { id, ...about, ...texts, startsAt: NOW, ...changes }
}

export function aToldNotice(id: string, changes: Partial<DeliveredNotice> = {}): DeliveredNotice {
  return { ...aNotice(id), endsAt: null, times: 1, ...changes }
}
