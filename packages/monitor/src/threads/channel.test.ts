import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import { ChannelError, openChannel } from './channel.ts'

interface Library {
  lend(title: string): string
  lendLater(title: string): Promise<string>
  refuse(code: string): void
  weigh(bytes: Uint8Array): number
}

interface Reader {
  isOverdue(title: string): boolean
}

const ports: { close(): void }[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

function connected(changes: Partial<Library> = {}) {
  const { port1, port2 } = new MessageChannel()
  ports.push(port1, port2)
  const lent: string[] = []
  const library: Library = {
    lend(title) {
      lent.push(title)
      return `one copy of ${title}`
    },
    lendLater: async (title) => `a copy of ${title}, later`,
    refuse(code) {
      throw Object.assign(new Error('no'), { code, detail: 'come back tomorrow' })
    },
    weigh: (bytes) => bytes.byteLength,
    ...changes,
  }
  const readerOf = openChannel<Reader, Library>(port2, library)
  const libraryOf = openChannel<Library, Reader>(port1, {
    isOverdue: (title) => title === 'Ulysses',
  })
  return { libraryOf, readerOf, lent }
}

describe('a channel', () => {
  it('brings results of both kinds of methods, in both directions', async () => {
    const { libraryOf, readerOf } = connected()
    const lent = libraryOf.call('lend', ['Emma'])
    expectTypeOf(lent).resolves.toBeString()

    expect(await lent).toBe('one copy of Emma')
    expect(await libraryOf.call('lendLater', ['Emma'])).toBe('a copy of Emma, later')
    expect(await readerOf.call('isOverdue', ['Ulysses'])).toBe(true)
    expect(libraryOf.pendingCount()).toBe(0)
  })

  it('begins calls in the order they were made, those without an answer among them', async () => {
    const { libraryOf, lent } = connected()
    libraryOf.tell('lend', ['first'])
    libraryOf.tell('lend', ['second'])
    await libraryOf.call('lend', ['third'])

    expect(lent).toEqual(['first', 'second', 'third'])
  })

  it('carries the code of what was thrown, and its line for a person', async () => {
    const { libraryOf } = connected()
    const failure = await libraryOf.call('refuse', ['closed']).catch((error: unknown) => error)

    expect(failure).toBeInstanceOf(ChannelError)
    expect(failure).toMatchObject({ code: 'closed', detail: 'come back tomorrow' })
  })

  it('carries the code of what a promise was rejected with', async () => {
    const { libraryOf } = connected({
      lendLater: () => Promise.reject(Object.assign(new Error('no'), { code: 'lost' })),
    })

    await expect(libraryOf.call('lendLater', ['Emma'])).rejects.toMatchObject({
      code: 'lost',
      detail: null,
    })
  })

  it.each(['constructor', 'toString', 'burn'])('has no method %s but its own', async (method) => {
    const { libraryOf } = connected()

    await expect(libraryOf.call(method as 'lend', ['x'])).rejects.toMatchObject({
      code: 'internal',
    })
  })

  it('hands memory over', async () => {
    const { libraryOf } = connected()
    const bytes = new Uint8Array(1024)

    expect(await libraryOf.call('weigh', [bytes], [bytes.buffer])).toBe(1024)
    expect(bytes.byteLength).toBe(0)
  })

  it('fails calls under way and all later ones once the other end is gone', async () => {
    const { libraryOf } = connected({ lendLater: () => new Promise(() => undefined) })
    const underWay = libraryOf.call('lendLater', ['Emma'])
    expect(libraryOf.pendingCount()).toBe(1)
    libraryOf.close()
    libraryOf.tell('lend', ['Emma'])

    await expect(underWay).rejects.toMatchObject({ code: 'crashed' })
    await expect(libraryOf.call('lend', ['Emma'])).rejects.toMatchObject({ code: 'crashed' })
    expect(libraryOf.pendingCount()).toBe(0)
  })
})
