import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { domainToASCII } from 'node:url'
import { parseAuthority } from '@svc/config'
import { afterAll, describe, expect, it } from 'vitest'
import { type ServedShell, sendRaw, serveShell } from '../testing/raw-http.ts'

interface GuardCase {
  readonly id: string
  readonly note: string
  readonly cfg: { readonly allowed?: readonly string[]; readonly listenHost?: string }
  readonly method: string
  readonly target: string
  /** Header lines to send; `@1.0` and `@0.9` stand for the HTTP version. */
  readonly headers: readonly string[]
  readonly expect: 'allow' | 'deny'
  readonly status: number
  readonly reason: string
}

const cases = JSON.parse(
  readFileSync(join(import.meta.dirname, 'guard-cases.json'), 'utf8'),
) as readonly GuardCase[]

const shells = new Map<string, Promise<ServedShell>>()

/** One server per configuration. */
function shellOf({ cfg }: GuardCase): Promise<ServedShell> {
  const key = JSON.stringify(cfg)
  const known = shells.get(key)
  if (known !== undefined) return known
  const allowedHosts = (cfg.allowed ?? []).map((entry) => {
    const authority = parseAuthority(/^[\x20-\x7e]+$/.test(entry) ? entry : domainToASCII(entry))
    if (authority === null) throw new Error(`the case lists no authority: ${entry}`)
    return authority
  })
  const shell = serveShell({
    allowedHosts,
    ...(cfg.listenHost === undefined ? {} : { host: cfg.listenHost }),
  })
  shells.set(key, shell)
  return shell
}

function requestOf({ method, target, headers }: GuardCase): string {
  if (headers.includes('@0.9')) return `${method} ${target}\r\n\r\n`
  const version = headers.includes('@1.0') ? 'HTTP/1.0' : 'HTTP/1.1'
  return [
    `${method} ${target} ${version}`,
    ...headers.filter((line) => !line.startsWith('@')),
    '',
    '',
  ].join('\r\n')
}

afterAll(async () => {
  for (const shell of shells.values()) await (await shell).http.stop()
})

describe('the guard over raw sockets', () => {
  it('has all 88 cases', () => {
    expect(cases).toHaveLength(88)
  })

  it.each(cases.map((guardCase) => [guardCase.id, guardCase.note, guardCase] as const))(
    '%s %s',
    async (_id, _note, guardCase) => {
      const { port, denied } = await shellOf(guardCase)
      denied.length = 0

      const answer = await sendRaw(port, requestOf(guardCase))

      if (guardCase.expect === 'allow') {
        expect(denied).toEqual([])
        expect(answer.status).toBe(guardCase.method === 'POST' ? 202 : guardCase.status)
        return
      }
      expect(answer.status).toBe(guardCase.status)
      expect(denied).toEqual([guardCase.reason])
      expect(JSON.parse(answer.body)).toMatchObject({
        ok: false,
        status: guardCase.status === 403 ? 'forbidden' : 'invalid_request',
      })
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('connection')).toBe('close')
      expect(
        [...answer.headers.keys()].filter((name) => name.startsWith('access-control')),
      ).toEqual([])
    },
  )
})
