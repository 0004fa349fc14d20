import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, runProgram } from '../../tooling/service/built-program.ts'

/** The secret part of every address. */
const CANARY = 'address-canary-0815-of-a-receiver'
const folder = mkdtempSync(join(tmpdir(), 'svc-notify-'))
const at = (...names: readonly string[]) => join(folder, ...names)
const received: { readonly path: string; readonly body: string }[] = []
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (part) => {
    body += part
  })
  request.on('end', () => {
    received.push({ path: request.url ?? '', body })
    response.writeHead(request.url?.startsWith('/bad') ? 500 : 200)
    response.end(CANARY)
  })
})

const table = (name: string) =>
  `[[notify]]\nname = "${name}"\nkind = "webhook"\nurl_file = "notify-${name}"\n`
let address = ''

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  writeFileSync(
    at('config.toml'),
    `upstream_url = "http://127.0.0.1:9"\nport = ${await freePort()}\n${table('good')}${table('bad')}`,
  )
  for (const name of ['good', 'bad'])
    writeFileSync(at(`notify-${name}`), `${address}/${name}/${CANARY}\n`, { mode: 0o600 })
})
afterAll(() => {
  receiver.close()
  rmSync(folder, { recursive: true, force: true })
})

const run = (...argv: readonly string[]) => runProgram([...argv, '--config', at('config.toml')])

describe('receivers of messages', () => {
  it('keep their addresses out of the output of every command', async () => {
    const outputs = new Map<string, string>()
    const commands = [
      ['notify', '--test', '--json'],
      ['print-config'],
      ['print-config', '--json'],
      ['doctor', '--verbose'],
      ['doctor', '--json'],
      ['init', '--write', at('deploy')],
      ['init', 'alertmanager'],
    ]
    for (const argv of commands) {
      const { stdout, stderr } = await run(...argv)
      outputs.set(argv.join(' '), stdout + stderr)
    }
    for (const name of readdirSync(at('deploy')))
      outputs.set(name, readFileSync(at('deploy', name), 'utf8'))
    const log = `sent to ${address}/good/${CANARY}\nPOST /good/${CANARY}\n`
    writeFileSync(at('service.log'), log)
    const bundle = await run('bundle', '--output', at('bundle'), '--log', at('service.log'))
    outputs.set('bundle', bundle.stdout + bundle.stderr)
    for (const name of readdirSync(at('bundle')))
      outputs.set(`bundle/${name}`, readFileSync(at('bundle', name), 'utf8'))

    expect(outputs.get('print-config')).toContain(at('notify-good'))
    expect(outputs.get('doctor --verbose')).toMatch(/^ok +notify · good +webhook, /m)
    expect(outputs.get('alertmanager.yml')).toContain(`url_file: "${at('notify-bad')}"`)
    expect(outputs.get('bundle/log.txt')).toContain('sent to ')
    expect(outputs.size).toBeGreaterThan(20)
    expect([...outputs].filter(([, text]) => text.includes(CANARY)).map(([name]) => name)).toEqual(
      [],
    )
  })
})
