import { connect } from 'node:net'
import { seededRandom } from '../../../tooling/bench/goals.ts'
import { readPaths } from '../../../tooling/read-text.ts'

/** A stream of hostile requests, the same for the same seed. */
export interface RequestFuzzer {
  /** Bytes of the next connection, in the pieces they are to be sent in. */
  next(): readonly Buffer[]
}

const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE', 'CONNECT', 'PRI', 'get', 'G\u0000T', '']
const PATHS = [...readPaths, '/', '*']
const ODD_TARGETS = [
  '/api/v1/stats/series?range=%00&top=-1&group=__proto__&smooth[]=1',
  '/api/v1/stats/series?range=all&group=api&format=csv&top=1e9&range=1h',
  `/api/v1/stats/series?${'top=1&'.repeat(400)}`,
  '//evil.example/',
  'http://evil.example/healthz',
  'http://localhost/healthz',
  '/%',
  '/%zz',
  '/%00',
  '/../../etc/passwd',
  '/a?b=%ff',
  '/\u00e9',
  '\\',
  '/healthz#x',
  `/${'a'.repeat(5_000)}`,
  `/${'b'.repeat(1_000_000)}`,
]
const VERSIONS = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1', '']
const HOSTS = [
  'localhost',
  '127.0.0.1',
  'evil.example',
  '127.0.0.1:99999',
  '[::1]',
  '',
  'localhost@evil.example',
  'localhost:80:80',
  'a'.repeat(300),
]
const HEADERS = [
  'Origin: http://evil.example',
  'Origin: null',
  'Accept-Encoding: gzip;q=0, *;q=1, br',
  'If-None-Match: *',
  'If-None-Match: W/"x", "y',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: identity',
  'Expect: 100-continue',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Range: bytes=0-1',
  'X-Odd: \u0001',
  'X-Folded: a\r\n b',
  'No-Colon',
  ': empty',
  ' Leading: space',
  `X-Long: ${'x'.repeat(20_000)}`,
  'Cookie: a=b',
  'Sec-Fetch-Site: cross-site',
  'X-HTTP-Method-Override: DELETE',
]

export function createRequestFuzzer(seed: number): RequestFuzzer {
  const random = seededRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const pick = <Choice>(choices: readonly Choice[]): Choice =>
    choices[below(choices.length)] as Choice
  const noise = (length: number) => Buffer.from(Array.from({ length }, () => below(256)))

  /** A request that is right but for some of its parts. */
  const request = (): Buffer => {
    const odd = (share: number) => random() < share
    const target = odd(0.4) ? pick(ODD_TARGETS) : pick(PATHS)
    const line = `${odd(0.3) ? pick(METHODS) : 'GET'} ${target} ${odd(0.1) ? pick(VERSIONS) : 'HTTP/1.1'}`
    const hosts = odd(0.1)
      ? []
      : Array.from(
          { length: odd(0.1) ? 2 : 1 },
          () => `Host: ${odd(0.3) ? pick(HOSTS) : 'localhost'}`,
        )
    const headers = Array.from({ length: odd(0.6) ? below(6) : 0 }, () => pick(HEADERS))
    const body = odd(0.2)
      ? pick(['hello', '5\r\nhello\r\n0\r\n\r\n', 'zz\r\n', '{"__proto__":1}'])
      : ''
    const newline = odd(0.05) ? '\n' : '\r\n'
    return Buffer.from(
      [line, ...hosts, ...headers, '', body].join(newline),
      odd(0.2) ? 'latin1' : 'utf8',
    )
  }

  const mutated = (bytes: Buffer): Buffer => {
    const copy = Buffer.from(bytes)
    for (let change = 0; change <= below(5); change += 1)
      if (copy.length > 0) copy[below(copy.length)] = below(256)
    return random() < 0.3 ? copy.subarray(0, below(copy.length + 1)) : copy
  }

  const inPieces = (bytes: Buffer): readonly Buffer[] => {
    if (random() < 0.7 || bytes.length < 2) return [bytes]
    const cut = 1 + below(bytes.length - 1)
    return [bytes.subarray(0, cut), bytes.subarray(cut)]
  }

  return {
    next() {
      const kind = random()
      if (kind < 0.15) return inPieces(noise(1 + below(2_000)))
      if (kind < 0.45) return inPieces(mutated(request()))
      // Pipelined.
      if (kind < 0.6) return inPieces(Buffer.concat(Array.from({ length: 1 + below(5) }, request)))
      return inPieces(request())
    },
  }
}

const QUIET_MS = 150
const ANSWER_BYTES_MAX = 4 * 1024 * 1024

/** Sends the pieces on one connection and collects what comes back until it is closed or nothing more comes. */
export function exchange(port: number, pieces: readonly Buffer[]): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const socket = connect(port, '127.0.0.1')
    const done = () => {
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    socket.setTimeout(QUIET_MS, done)
    socket.on('error', () => undefined)
    socket.on('close', done)
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > ANSWER_BYTES_MAX) done()
    })
    for (const [index, piece] of pieces.entries())
      setTimeout(() => socket.writable && socket.write(piece), index * 10)
  })
}
