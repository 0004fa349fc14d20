import { isLoopbackHost, parseAuthority } from '@svc/config'
import { guardReasons } from '@svc/monitor'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileGuard, type GuardedRequest } from './host-origin-guard.ts'

const LISTED = { host: 'monitor.example.com', port: null }
const guard = compileGuard({
  allowedHosts: [LISTED, { host: 'b.example', port: 9000 }],
  host: '127.0.0.1',
})

const request = (
  headers: readonly (readonly [string, string])[],
  changes: Partial<GuardedRequest> = {},
): GuardedRequest => ({
  rawHeaders: headers.flat(),
  method: 'GET',
  url: '/api/v1/health',
  localAddress: '127.0.0.1',
  ...changes,
})

/** Bytes in the form Node passes them: one character per byte. */
const bytes = fc
  .uint8Array({ maxLength: 300 })
  .map((array) => Buffer.from(array).toString('latin1'))
const plausibleHost = fc.oneof(
  bytes,
  fc.constantFrom(
    'localhost',
    '127.0.0.1',
    '[::1]',
    'monitor.example.com',
    'b.example:9000',
    'evil.example',
    '0.0.0.0',
    '[::]',
    '127.9.9.9:1',
  ),
  fc.domain(),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
)

describe('the guard', () => {
  it('judges any text sent as Host, Origin, metadata and target', () => {
    fc.assert(
      fc.property(bytes, bytes, bytes, bytes, fc.string(), (host, origin, site, url, method) => {
        const judgement = guard(
          request(
            [
              ['Host', host],
              ['Origin', origin],
              ['Sec-Fetch-Site', site],
            ],
            { url, method },
          ),
        )
        if (!judgement.allowed) expect(guardReasons).toContain(judgement.reason)
      }),
      { numRuns: 2_000 },
    )
  })

  it('allows no host outside the compiled set', () => {
    fc.assert(
      fc.property(plausibleHost, (host) => {
        const judgement = guard(request([['Host', host]]))
        if (!judgement.allowed) return
        const authority = parseAuthority(host)
        const listed =
          authority?.host === LISTED.host ||
          (authority?.host === 'b.example' && authority.port === 9000)
        expect(listed || isLoopbackHost(authority?.host ?? '')).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('ignores the order and case of headers, and other headers', () => {
    const others = fc.array(
      fc.tuple(
        fc.constantFrom('X-Forwarded-Host', 'Forwarded', 'Accept', 'Cookie', 'X-Original-Host'),
        bytes,
      ),
      {
        maxLength: 4,
      },
    )
    fc.assert(
      fc.property(
        plausibleHost,
        fc.constantFrom('http://localhost', 'http://evil.example', 'null'),
        others,
        fc.boolean(),
        (host, origin, more, upper) => {
          const named = (name: string) => (upper ? name.toUpperCase() : name.toLowerCase())
          const plain = guard(
            request([
              ['Host', host],
              ['Origin', origin],
            ]),
          )
          const shuffled = guard(
            request([
              ...more.map(([name, value]) => [name, value] as const),
              [named('Origin'), origin],
              [named('Host'), host],
            ]),
          )
          expect(shuffled).toEqual(plain)
        },
      ),
    )
  })

  it.each([
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', '::ffff:10.1.2.3', true],
    ['10.1.2.3', '10.1.2.4', false],
    ['[fd00::5]', 'fd00::5', true],
    ['lan-name', '10.1.2.3', false],
    ['10.1.2.3', undefined, false],
  ])('behind a wildcard listener %s through a socket at %s: %s', (host, localAddress, allowed) => {
    const open = compileGuard({ allowedHosts: [], host: '0.0.0.0' })

    expect(open(request([['Host', host]], { localAddress })).allowed).toBe(allowed)
  })

  it('allows the name it listens on, and refuses arrival addresses on loopback', () => {
    const named = compileGuard({ allowedHosts: [], host: 'Quota.LAN' })

    expect(named(request([['Host', 'quota.lan:4515']])).allowed).toBe(true)
    expect(guard(request([['Host', '10.1.2.3']], { localAddress: '10.1.2.3' })).allowed).toBe(false)
  })

  it('strips an absolute target to its path', () => {
    const judged = (url: string) => guard(request([['Host', 'localhost:4515']], { url }))

    expect(judged('http://localhost:4515/api/v1/health?x=1')).toEqual({
      allowed: true,
      path: '/api/v1/health?x=1',
    })
    expect(judged('http://localhost:4515')).toEqual({ allowed: true, path: '/' })
    expect(judged('http://localhost:4515?x')).toEqual({ allowed: true, path: '/?x' })
    expect(judged('https://localhost:4515/')).toEqual({ allowed: true, path: '/' })
    expect(judged('ftp://localhost:4515/')).toMatchObject({ allowed: false, reason: 'target' })
    expect(judged('/x#y')).toMatchObject({ allowed: false, reason: 'target' })
  })

  it('lets a listed page reach it from another site, and a navigation without Origin', () => {
    const listed = [
      ['Host', '127.0.0.1:4515'],
      ['Origin', 'https://monitor.example.com'],
      ['Sec-Fetch-Site', 'cross-site'],
    ] as const
    const navigation = [
      ['Host', 'localhost'],
      ['Sec-Fetch-Site', 'cross-site'],
      ['Sec-Fetch-Mode', 'navigate'],
      ['Sec-Fetch-Dest', 'document'],
    ] as const

    expect(guard(request(listed)).allowed).toBe(true)
    expect(guard(request(navigation)).allowed).toBe(true)
    expect(guard(request(navigation, { method: 'POST' })).allowed).toBe(false)
  })
})
