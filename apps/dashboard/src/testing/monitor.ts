import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'

/** Lets the page of this file of tests ask a monitor that answers so. */
export function serveMonitor(answer: RequestListener): void {
  const monitor = createServer(answer)
  const askDirectly = globalThis.fetch
  beforeAll(async () => {
    monitor.listen(0, '127.0.0.1')
    await once(monitor, 'listening')
    const { port } = monitor.address() as AddressInfo
    // Resolves paths against the page's own origin.
    globalThis.fetch = (path, init) =>
      askDirectly(new URL(String(path), `http://127.0.0.1:${port}`), init)
  })
  afterAll(() => {
    globalThis.fetch = askDirectly
    monitor.close()
  })
}
