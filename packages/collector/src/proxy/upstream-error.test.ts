import { describe, expect, it } from 'vitest'
import { isClosedSocket, UpstreamError, upstreamErrorOf } from './upstream-error.ts'

function fetchFailure(code: string): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error('canary of a lower layer'), { code }),
  })
}

describe('upstreamErrorOf', () => {
  it.each([
    ['ECONNREFUSED', 'unreachable'],
    ['ECONNRESET', 'unreachable'],
    ['EHOSTUNREACH', 'unreachable'],
    ['UND_ERR_SOCKET', 'unreachable'],
    ['SOMETHING_NEW', 'unreachable'],
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns'],
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
    ['HPE_INVALID_CONSTANT', 'bad_payload'],
    ['UND_ERR_HEADERS_OVERFLOW', 'bad_payload'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'bad_payload'],
  ] as const)('%s is %s', (systemCode, code) => {
    const error = upstreamErrorOf(fetchFailure(systemCode))

    expect(error.code).toBe(code)
    expect(error.message).not.toContain('canary')
    expect(error.cause).toBeUndefined()
  })

  it('finds the first address tried inside an aggregate', () => {
    const aggregate = Object.assign(new AggregateError([fetchFailure('ECONNREFUSED')], ''), {
      code: 'ECONNREFUSED',
    })

    expect(upstreamErrorOf(new TypeError('fetch failed', { cause: aggregate })).code).toBe(
      'unreachable',
    )
  })

  it('hands on an error of our own, also from inside another', () => {
    const own = new UpstreamError('timeout', 'no answer')

    expect(upstreamErrorOf(own)).toBe(own)
    expect(upstreamErrorOf(new TypeError('fetch failed', { cause: own }))).toBe(own)
  })

  it('drops the text of an error that quotes a header', () => {
    const error = upstreamErrorOf(
      new TypeError('Headers.append: "Bearer canary-key" is an invalid header value.'),
    )

    expect(`${error.message} ${error.stack ?? ''}`).not.toContain('canary-key')
  })

  it('survives a chain of causes that is a circle', () => {
    const circle = new Error('round')
    circle.cause = circle

    expect(upstreamErrorOf(circle).code).toBe('unreachable')
  })
})

it.each([
  ['UND_ERR_SOCKET', true],
  ['ECONNRESET', true],
  ['EPIPE', true],
  ['ECONNREFUSED', false],
  ['ETIMEDOUT', false],
])('%s means a socket that was closed: %s', (code, closed) => {
  expect(isClosedSocket(fetchFailure(code))).toBe(closed)
})
