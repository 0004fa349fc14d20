import { createServer } from 'node:net'
import { silentLog } from '@svc/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createListeners, httpLimits, type Listeners, StartError } from './listeners.ts'

let opened: Listeners[] = []
afterEach(async () => {
  for (const each of opened) await each.close()
  opened = []
})

function listeners(): Listeners {
  const made = createListeners({
    limits: { ...httpLimits, stopMs: 50 },
    log: silentLog,
    onRequest: (_, answer) => void answer.end('served'),
    report: { count() {} },
  })
  opened.push(made)
  return made
}
const bodyAt = async (url: string) =>
  await (await fetch(url, { headers: { connection: 'close' } })).text()

describe('listening', () => {
  it.each([
    { host: '127.0.0.1', shown: '127.0.0.1' },
    { host: '0.0.0.0', shown: '127.0.0.1' },
    { host: 'localhost', shown: 'localhost' },
  ])('on $host is shown as an address that can be opened', async ({ host, shown }) => {
    const url = await listeners().listen(host, 0)

    expect(new URL(url).hostname).toBe(shown)
    expect(await bodyAt(url)).toBe('served')
  })

  it('on localhost answers on both loopback addresses, where there are two', async (context) => {
    const { port } = new URL(await listeners().listen('localhost', 0))
    const probe = createServer()
    const hasIpv6 = await new Promise((resolve) =>
      probe.once('error', () => resolve(false)).listen(0, '::1', () => resolve(true)),
    )
    probe.close()
    if (hasIpv6 !== true) context.skip('this machine has no IPv6')

    expect(await bodyAt(`http://127.0.0.1:${port}`)).toBe('served')
    expect(await bodyAt(`http://[::1]:${port}`)).toBe('served')
  })

  it.each([
    { what: 'a port that is taken', host: '127.0.0.1', code: 'port_in_use' },
    { what: 'an address of another machine', host: '192.0.2.1', code: 'bind_failed' },
  ])('on $what says what to change', async ({ host, code }) => {
    const { port } = new URL(await listeners().listen('127.0.0.1', 0))

    const failure = await listeners()
      .listen(host, Number(port))
      .catch((error: unknown) => error)

    expect(failure).toBeInstanceOf(StartError)
    expect(failure).toMatchObject({ code, message: expect.stringContaining(`${host}:${port}`) })
  })

  it('ends with every connection closed, also of a client that only waits', async () => {
    const own = listeners()
    const url = await own.listen('127.0.0.1', 0)
    const kept = await fetch(url)
    await kept.text()
    await own.close()

    await expect(fetch(url)).rejects.toThrow()
    await own.close()
  })
})
