import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { eventually, pause } from '../../tooling/eventually.ts'
import { freePort, ownConnection } from '../../tooling/service/built-program.ts'
import { startService } from '../../tooling/service/start-service.ts'

it('a Ctrl-C that npm passes on a second time ends the program as one does', async () => {
  const demo = await startService({
    where: 'program',
    args: ['--demo', '--port', String(await freePort())],
  })
  // A reader that takes its time, so that the program is still ending when the second signal comes.
  const slow = connect(Number(new URL(demo.url).port), '127.0.0.1')
  slow.on('error', () => undefined)
  await once(slow, 'connect')
  slow.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n')
  let answer = ''
  slow.setEncoding('latin1').on('data', (text: string) => {
    answer += text
  })
  // Connections are taken in turn: once these are answered, the program has begun to read the slow one too.
  for (let round = 0; round < 2; round += 1) await fetch(`${demo.url}/healthz`, ownConnection)
  demo.child.kill('SIGINT')
  await eventually('it takes no more connections', () =>
    fetch(`${demo.url}/healthz`, ownConnection).then(
      () => false,
      () => true,
    ),
  )
  const ended = demo.stop('SIGINT')
  await pause(20)
  slow.write('\r\n')
  const code = await ended

  expect(code).toBe(0)
  // It is ending, and still answers.
  expect(answer).toMatch(/^HTTP\/1\.1 503 /)
})
