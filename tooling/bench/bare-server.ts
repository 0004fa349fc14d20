import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'

/** Answer recorded from the service, for one path and kind of request. */
export interface RecordedAnswer {
  readonly path: string
  readonly kind: 'plain' | 'gzip' | 'not_modified'
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly bodyBase64: string
}

/**
 * The reference of the bench: the least a server can do to send the same bytes and headers. `node` writes them with bare node:http; `hono` through the
 * router and adapter of the service, but without guard, conditional requests and metrics.
 */
const [kind = '', file = ''] = process.argv.slice(2)
const answers = (JSON.parse(readFileSync(file, 'utf8')) as readonly RecordedAnswer[]).map(
  (answer) => ({
    ...answer,
    headers: Object.fromEntries(answer.headers),
    body: Buffer.from(answer.bodyBase64, 'base64'),
  }),
)
const byKind = (wanted: RecordedAnswer['kind']) =>
  new Map(answers.filter((answer) => answer.kind === wanted).map((answer) => [answer.path, answer]))
const plain = byKind('plain')
const gzip = byKind('gzip')
const notModified = byKind('not_modified')

const server = createServer(kind === 'hono' ? honoListener() : bareListener())
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null)
    console.log(`listening on http://127.0.0.1:${address.port}/`)
})
process.once('SIGTERM', () => process.exit(0))

function bareListener(): Parameters<typeof createServer>[1] {
  return ({ url = '', headers }, response) => {
    const forms =
      headers['if-none-match'] === undefined
        ? headers['accept-encoding'] === undefined
          ? plain
          : gzip
        : notModified
    const answer = forms.get(url)
    if (answer === undefined) return void response.writeHead(404).end()
    response.writeHead(answer.status, answer.headers)
    response.end(answer.body)
  }
}

function honoListener(): Parameters<typeof createServer>[1] {
  const app = new Hono()
  for (const [path, { headers, body }] of plain)
    app.get(path, () => new Response(body, { headers }))
  return getRequestListener(app.fetch)
}
