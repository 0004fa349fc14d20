import { createServer } from 'node:http'

/** A server that only answers: its delay at any time is due to the machine. */
const server = createServer((_, response) => response.end('{"ok":true}'))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null)
    console.log(`listening on http://127.0.0.1:${address.port}`)
})
// It goes when the test process that started it has gone.
process.stdin.resume().once('end', () => process.exit(0))
