import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { runProgram } from '../../tooling/service/built-program.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-hostile-bodies-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const MIB = 1024 * 1024
/** Several times an answer at its cap. */
const RSS_MIB_MAX = 400

/** Writes the most memory that the program had, when it ends. */
const witness = join(folder, 'witness.cjs')
const witnessed = join(folder, 'most-memory')
writeFileSync(
  witness,
  `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(witnessed)}, String(process.resourceUsage().maxRSS)))`,
)

async function against(server: Server, use: (port: number) => Promise<void>) {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  try {
    await use((server.address() as AddressInfo).port)
  } finally {
    server.close()
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
  }
}

async function run(argv: readonly string[]) {
  const env = { NODE_OPTIONS: `--require ${witness}`, XDG_STATE_HOME: folder, HOME: folder }
  const outcome = await runProgram(argv, { env })
  return { ...outcome, rssMib: Number(readFileSync(witnessed, 'utf8')) / 1024 }
}

/** Sends `head`, then `piece` as long as it is taken. */
function endless(head: string, piece: string, type = 'application/json'): RequestListener {
  return (_request, answer) => {
    answer.writeHead(200, { 'Content-Type': type }).write(head)
    const more = () => {
      while (!answer.destroyed && answer.write(piece));
    }
    answer.on('drain', more)
    more()
  }
}

const once =
  (body: string, status = 200, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_request, answer) =>
    void answer.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body)

const VERBS = [
  ['pick'],
  ['pick', '--as', 'one'],
  ['guard'],
  ['accounts'],
  ['why', 'a'],
  ['plan', '--sh'],
  ['top', '--once'],
  ['line'],
] as const

const bodies: readonly (readonly [string, () => RequestListener, RegExp])[] = [
  ['an endless text', () => endless('{"title":"', 'x'.repeat(MIB)), /longer than \d+ KiB/],
  ['endless lists', () => endless('', '['.repeat(MIB)), /longer than \d+ KiB/],
  ['an endless list of lists', () => endless('[[]', ',[]'.repeat(MIB / 4)), /longer than \d+ KiB/],
  ['lists in lists', () => once('['.repeat(7 * MIB)), /all brackets/],
  ['empty objects', () => once(`[${'{},'.repeat(2 * MIB)}{}]`), /all brackets/],
  ['no JSON', () => once('<html>'), /is no JSON/],
  ['nothing', () => once(''), /is no JSON/],
  ['a text', () => once('"monitor"'), /is not as in/],
  ['null', () => once('null'), /is not as in/],
  ['a list', () => once('[{"items":[]}]'), /is not as in/],
  ['no member', () => once('{}'), /\(\w+ is not as in/],
  ['another address', () => once('', 302, { Location: 'http://127.0.0.1:1' }), /HTTP 302/],
]

it.each(bodies)(
  '%s ends every verb with 4, one line and bounded memory',
  async (_of, body, why) => {
    for (const argv of VERBS)
      await against(createServer(body()), async (port) => {
        const { code, stdout, stderr, rssMib } = await run([
          ...argv,
          ...['--url', `http://127.0.0.1:${port}`, '--timeout', '1m'],
        ])
        const told = `${argv.join(' ')}: ${stderr}`

        expect(code, told).toBe(4)
        expect(stderr, told).toMatch(why)
        expect(stderr.trimEnd().split('\n'), told).toHaveLength(1)
        expect(stdout, told).toBe(argv[0] === 'line' ? 'monitor not reachable · bad\n' : '')
        expect(rssMib, told).toBeLessThan(RSS_MIB_MAX)
      })
  },
)

it.each<[string, RequestListener]>([
  ['a line', endless('data: ', 'x'.repeat(MIB), 'text/event-stream')],
  ['a line in small pieces', endless('data: ', 'x', 'text/event-stream')],
  ['lines', endless('', 'data: x\n'.repeat(1024), 'text/event-stream')],
])('%s without an end ends the events with 4', async (_of, body) => {
  await against(createServer(body), async (port) => {
    const { code, stdout, stderr, rssMib } = await run([
      'events',
      ...['--url', `http://127.0.0.1:${port}`],
    ])

    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toMatch(/the events are not those of a monitor/)
    expect(rssMib).toBeLessThan(RSS_MIB_MAX)
  })
})

it('what speaks no HTTP, and who closes at once, end a verb with 4', async () => {
  for (const first of ['SSH-2.0-OpenSSH_9.9\r\n', 'HTTP/1.1 200 OK\r\nA'.repeat(9_999), ''])
    await against(
      createTcpServer((socket) => {
        socket.on('error', () => undefined)
        socket.end(first)
      }),
      async (port) => {
        const { code, stderr } = await run(['guard', '--url', `http://127.0.0.1:${port}`])

        expect(code).toBe(4)
        expect(stderr).toMatch(/does not speak HTTP|nothing answers|broke off/)
      },
    )
})

it('doctor takes no more of what listens at its port', async () => {
  await against(createServer(endless('{"ok":true,"', 'x'.repeat(MIB))), async (port) => {
    const { stdout, rssMib } = await run([
      'doctor',
      ...['--config', 'off', '--port', String(port), '--upstream-url', 'http://127.0.0.1:1'],
    ])

    expect(stdout).toMatch(/in use by another program/)
    expect(rssMib).toBeLessThan(RSS_MIB_MAX)
  })
})
