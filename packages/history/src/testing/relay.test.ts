import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { startRelay } from './relay.ts'

it('leads to one port after the other, and cuts what leads to the first', async () => {
  const servers = await Promise.all(['one', 'other'].map(saying))
  const [one, other] = servers.map(({ port }) => port) as [number, number]
  const relay = await startRelay(one)
  try {
    const first = connect(relay.port, '127.0.0.1')
    expect(String((await once(first, 'data'))[0])).toBe('one')
    const cut = once(first, 'close')
    relay.aim(other)
    await cut
    const second = connect(relay.port, '127.0.0.1')
    expect(String((await once(second, 'data'))[0])).toBe('other')
  } finally {
    await relay.close()
    for (const server of servers) server.close()
  }
})

it('that is silent holds back what is sent, and lets it go on', async () => {
  const server = await saying('word')
  const relay = await startRelay(server.port)
  try {
    relay.silence(true)
    const silent = connect(relay.port, '127.0.0.1')
    const heard: string[] = []
    silent.on('data', (bytes) => heard.push(String(bytes)))
    await once(silent, 'connect')
    // Other connections are answered meanwhile.
    await once(connect(server.port, '127.0.0.1'), 'data')
    expect(heard).toEqual([])
    const word = once(silent, 'data')
    relay.silence(false)
    await word
    expect(heard).toEqual(['word'])
  } finally {
    await relay.close()
    server.close()
  }
})

/** A server that says one word to each who connects. */
async function saying(word: string) {
  const server = createServer((socket) => socket.on('error', () => undefined).write(word))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: address === null || typeof address === 'string' ? 0 : address.port,
    close: () => server.close(),
  }
}

it('that strands connections leaves them open without a word, and leads those that come', async () => {
  const server = await echoing()
  const relay = await startRelay(server.port)
  try {
    const [red, blue] = [
      await saysAndHears(relay.port, 'red'),
      await saysAndHears(relay.port, 'blue'),
    ]
    relay.strand({ of: /red/ })
    red.socket.write('more')
    blue.socket.write('more')
    const green = await saysAndHears(relay.port, 'green')
    await expect.poll(blue.heard).toBe('bluemore')

    expect(red.heard()).toBe('red')
    expect(red.socket.closed).toBe(false)
    relay.strand({ of: /gr[e]+n/, forever: true, answersOnly: true })
    green.socket.write('more')
    await expect.poll(server.heard).toContain('greenmore')
    expect(green.heard()).toBe('green')
  } finally {
    await relay.close()
    server.close()
  }
})

/** A server that repeats what it hears. */
async function echoing() {
  const heard: string[] = []
  const server = createServer((socket) => {
    let own = ''
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        own += bytes
        heard.push(own)
      })
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: address === null || typeof address === 'string' ? 0 : address.port,
    heard: () => heard,
    close: () => server.close(),
  }
}

async function saysAndHears(port: number, word: string) {
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  socket
    .on('error', () => undefined)
    .on('data', (bytes) => {
      heard += bytes
    })
  socket.write(word)
  await expect.poll(() => heard).toBe(word)
  return { socket, heard: () => heard }
}
