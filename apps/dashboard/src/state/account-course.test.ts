import '../testing/browser.ts'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { course, courseFailed, followCourse } from './account-course.ts'

let monitor: Server
let answer: (response: ServerResponse) => void
let asked: string[] = []
let stop: () => void = () => undefined
const askDirectly = globalThis.fetch

beforeAll(async () => {
  monitor = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(response)
  })
  monitor.listen(0, '127.0.0.1')
  await once(monitor, 'listening')
  const { port } = monitor.address() as AddressInfo
  globalThis.fetch = (path, init) =>
    askDirectly(new URL(String(path), `http://127.0.0.1:${port}`), init)
})
afterAll(() => {
  globalThis.fetch = askDirectly
  monitor.close()
})
afterEach(() => {
  stop()
  asked = []
  course.value = null
  courseFailed.value = false
})

const answering = (status: number, body: string) => (response: ServerResponse) =>
  void response.writeHead(status, { Connection: 'close' }).end(body)

describe('the course of an account', () => {
  it('is asked for by its key and the range, and shown', async () => {
    answer = answering(200, '{"available":true}')
    stop = followCourse('a b/c', '7d')
    await expect.poll(() => course.value).toEqual({ available: true })

    expect(asked).toEqual(['/api/v1/accounts/a%20b%2Fc/quota?range=7d'])
  })

  it.each([
    { what: 'an error', status: 503, body: '{"ok":false}' },
    { what: 'something else than JSON', status: 200, body: '<html>' },
  ])('that is answered with $what is kept, and the failure said', async ({ status, body }) => {
    course.value = { accountKey: 'a' } as never
    answer = answering(status, body)
    stop = followCourse('a', '24h')
    await expect.poll(() => courseFailed.value).toBe(true)

    expect(course.value).toEqual({ accountKey: 'a' })
  })

  it('that nobody looks at any more is not shown when it comes', async () => {
    const held = new Promise<ServerResponse>((resolve) => {
      answer = resolve
    })
    const end = followCourse('a', '24h')
    const response = await held
    end()
    answering(200, '{"available":true}')(response)
    await once(response, 'close')

    expect([course.value, courseFailed.value]).toEqual([null, false])
  })
})
