import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Redacted } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import { answerResp, createFakeUpstream, type FakeUpstream } from '@svc/fake-proxy'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aSocketServer, closeServers, failureOf, realClock } from '../testing/own-servers.ts'
import type { RespReply } from '../wire/resp.ts'
import { connectResp, type RespConnection } from './resp-connection.ts'

afterEach(closeServers)

const limits = { seconds: 5, stop: new AbortController().signal }
const KEY = 'right-key'
let fake: FakeUpstream
let url: string

beforeEach(async () => {
  fake = createFakeUpstream({ now: () => NOW, managementKey: KEY })
  url = await aSocketServer((socket) => answerResp(fake, socket))
})

const connect = (key = KEY, at = url): Promise<RespConnection> =>
  connectResp(at, { ...limits, key: new Redacted(key) }, realClock)

const textOf = (reply: RespReply): unknown =>
  reply instanceof Uint8Array
    ? Buffer.from(reply).toString()
    : Array.isArray(reply)
      ? reply.map(textOf)
      : reply

describe('a connection', () => {
  it('takes records out of the queue, byte for byte and oldest first', async () => {
    const records = ['{"a":1}', '{"b":"ö"}', '{"c":3}']
    for (const record of records) fake.usage.recordRaw(record, NOW)
    const connection = await connect()

    expect(textOf(await connection.ask(['LPOP', 'usage', '2'], limits))).toEqual(
      records.slice(0, 2),
    )
    expect(textOf(await connection.ask(['LPOP', 'usage', '2'], limits))).toEqual(records.slice(2))
    expect(textOf(await connection.ask(['LPOP', 'usage', '2'], limits))).toEqual([])
    connection.close()
    expect(await connection.ended).toBeNull()
  })

  it('goes on after a refused command', async () => {
    const connection = await connect()

    expect(await failureOf(connection.ask(['LPOP', 'usage', '0'], limits))).toMatchObject({
      code: 'unsupported',
    })
    expect(await connection.ask(['LPOP', 'usage', '1'], limits)).toEqual([])
    connection.close()
  })

  it('keeps no answer that was taken', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const connection = await connect()
    const kept: WeakRef<object>[] = []
    for (let asked = 0; asked < 20; asked += 1) {
      fake.usage.recordRaw('{"a":1}', NOW)
      kept.push(new WeakRef(Object(await connection.ask(['LPOP', 'usage', '1'], limits))))
    }
    await connection.ask(['LPOP', 'usage', '1'], limits)
    await new Promise(setImmediate)
    collect()

    expect(kept.filter((reply) => reply.deref() !== undefined).length).toBeLessThan(3)
    connection.close()
    expect(await failureOf(connection.ask(['LPOP', 'usage', '1'], limits))).toMatchObject({
      code: 'unreachable',
    })
  })

  it('hands over what a subscriber gets, and ends with the proxy', async () => {
    const connection = await connect()
    const got: unknown[] = []
    connection.follow((replies) => void got.push(...replies.map(textOf)))
    await connection.ask(['SUBSCRIBE', 'usage'], limits)
    fake.usage.recordRaw('{"a":1}', NOW)
    await connection.ask(['PING'], limits)
    while (got.length < 4) await new Promise((resolve) => setTimeout(resolve, 5))

    expect(got).toEqual([
      ['subscribe', 'usage', 1],
      ['message', 'usage', '{"support_refresh":true}'],
      ['message', 'usage', '{"a":1}'],
      ['pong', null],
    ])
    expect(fake.usage.waitingCount()).toBe(0)
    fake.usage.endSubscriptions()
    expect(await connection.ended).toBeNull()
  })
})

describe('a connection that is refused', () => {
  it('counts a wrong key once, and tells a ban with its end', async () => {
    expect(await failureOf(connect('wrong'))).toMatchObject({
      code: 'unauthorized',
      httpStatus: 401,
    })
    expect(fake.gate.failuresOpen()).toBe(1)
    for (let more = 0; more < 4; more += 1) await failureOf(connect('wrong'))

    expect(await failureOf(connect())).toMatchObject({ code: 'banned', retryAfterSeconds: 1800 })
  })

  it.each<readonly [what: string, code: string, change: () => void]>([
    ['no secret is set', 'management_disabled', () => (fake.settings.management = 'disabled')],
    ['a Home', 'unsupported', () => (fake.settings.resp = 'refused')],
  ])('%s: %s', async (_what, code, change) => {
    change()

    expect(await failureOf(connect())).toMatchObject({ code })
  })

  it('by a server that answers HTTP', async () => {
    const web = await aSocketServer((socket) => {
      socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    })

    expect(await failureOf(connect(KEY, web))).toMatchObject({ code: 'unsupported' })
  })

  it('by an address with a path, which is not asked', async () => {
    expect(await failureOf(connect(KEY, `${url}/cpa`))).toMatchObject({ code: 'unsupported' })
  })
})
