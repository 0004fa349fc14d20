import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PickQuestion } from '@svc/monitor'
import { afterEach, describe, expect, it } from 'vitest'
import { courseQueryOf, pickFor } from './account-query.ts'

const KEY = '0011223344556677'

it.each([
  { query: '', range: '24h' },
  { query: 'range=24h', range: '24h' },
  { query: 'range=7d', range: '7d' },
  { query: 'range=30d&color=red', range: '30d' },
])('?$query asks for $range', ({ query, range }) => {
  expect(courseQueryOf(KEY, new URLSearchParams(query))).toEqual({ accountKey: KEY, range })
})

it.each(['1h', 'all', '24H', '24h ', '', 'toString', '24h,7d'])(
  'there is no range "%s"',
  (range) => {
    expect(courseQueryOf(KEY, new URLSearchParams({ range }))).toBeNull()
  },
)

let server: Server | null = null
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = null
})

/** The route behind a real socket, answered with what it asks or why it does not. */
async function serve() {
  const asked: PickQuestion[] = []
  server = createServer(async (request, answer) => {
    const found = await pickFor(request, async (question) => {
      asked.push(question)
      return { unknown: { parameter: 'plan', allowed: [] } }
    })
    answer.end(typeof found === 'string' ? found : 'asked')
  })
  const listening = server
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const { port } = listening.address() as AddressInfo
  const post = async (body: string, headers: Readonly<Record<string, string>> = JSON_TYPE) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).text()
  return { asked, post }
}

const JSON_TYPE = { 'content-type': 'application/json' }

describe('a pick by a remembered caller', () => {
  it('asks with what its body says', async () => {
    const { asked, post } = await serve()
    const body = { as: 'a.B_1-', failed: 'x', avoid: ['y:1'], plan: [], upstream: ['tokyo'] }
    expect(await post(JSON.stringify(body))).toBe('asked')
    expect(asked).toEqual([
      { as: 'a.B_1-', failed: 'x', avoid: ['y:1'], filter: { upstream: ['tokyo'] } },
    ])
  })

  it('takes one text for a list, with commas between names', async () => {
    const { asked, post } = await serve()
    const body = {
      as: 'a',
      avoid: 'x.json',
      plan: 'plus, pro',
      provider: 'xai,claude',
      upstream: '',
    }
    expect(await post(JSON.stringify(body))).toBe('asked')
    expect(asked).toEqual([
      {
        as: 'a',
        avoid: ['x.json'],
        filter: { plan: ['plus', 'pro'], provider: ['xai', 'claude'] },
      },
    ])
  })

  it('may give its account back', async () => {
    const { asked, post } = await serve()
    expect(await post('{"release":true,"as":"a"}')).toBe('asked')
    expect(await post('{"release":false,"as":"a","keep":"x"}')).toBe('asked')
    expect(asked).toEqual([
      { as: 'a', release: true, filter: {} },
      { as: 'a', release: false, keep: 'x', filter: {} },
    ])
  })

  it.each([
    '',
    '{}',
    '[]',
    'null',
    '{"as":""}',
    '{"as":"a b"}',
    `{"as":"${'a'.repeat(65)}"}`,
    '{"as":"a","as":"b"}',
    '{"as":"a","plan":5}',
    '{"as":"a","provider":{"a":"b"}}',
    '{"as":"a","provider":["a",5]}',
    '{"as":"a","release":"yes"}',
    '{"as":"a","release":true,"keep":"b"}',
    '{"release":true}',
    '{"as":"a","more":1}',
    '{"keep":"a"}',
  ])('is not %s', async (body) => {
    const { asked, post } = await serve()
    expect(await post(body)).toBe('invalid_pick')
    expect(asked).toEqual([])
  })

  it.each([
    ['of another type', 'invalid_pick', '{"as":"a"}', { 'content-type': 'text/plain' }],
    ['of more than 4 KiB', 'too_large', `{"as":"a"}${' '.repeat(4_087)}`, JSON_TYPE],
    [
      'of a page of another site',
      'forbidden_site',
      '{"as":"a"}',
      { ...JSON_TYPE, 'sec-fetch-site': 'cross-site' },
    ],
  ])('%s is refused: %s', async (_, refusal, body, headers) => {
    const { asked, post } = await serve()
    expect(await post(body, headers)).toBe(refusal)
    expect(asked).toEqual([])
  })
})
