import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aFakeAccount } from '@svc/fake-proxy'
import { afterAll, describe, expect, it } from 'vitest'
import { eventually, pause, settle } from '../../../tooling/eventually.ts'
import { longDeadline, paceOfBusyMachine } from '../../../tooling/test-instant.ts'
import { underFault } from './base-line.ts'
import {
  FACTOR,
  type FaultyService,
  type FaultyServiceOptions,
  startFaultyService,
  TIMEOUT_SECONDS,
} from './faulty-service.ts'
import { failedPolls, gapsInSeconds } from './poll-log.ts'

const accounts = () => ['one', 'two'].map((name) => aFakeAccount({ name }))
const DEADLINE_REASON = `no complete answer in ${TIMEOUT_SECONDS} s`
const folder = mkdtempSync(join(tmpdir(), 'svc-connecting-'))
afterAll(() => rmSync(folder, { recursive: true }))

const serviceSeconds = (seconds: number) => pause((seconds * 1000) / FACTOR)
const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

/** A service of its own under one fault. */
async function withService(
  options: Omit<FaultyServiceOptions, 'accounts'>,
  use: (own: FaultyService) => Promise<void>,
): Promise<void> {
  const own = await startFaultyService({ accounts, ...options })
  try {
    await use(own)
  } finally {
    await own.stop()
  }
}

// They run side by side, since they do little but wait.
describe.concurrent('before there is a connection', () => {
  it('a black hole: one call per source at a time, each ends at its deadline, nothing piles up in an hour', async (context) => {
    const hole = await openBlackHole()
    await withService(
      { factor: paceOfBusyMachine(120), upstreamUrl: () => hole.url },
      async (own) => {
        // Health shows its sources once there is something to show.
        await own.until('unavailable')
        await underFault(context, own, async () => {
          await eventually(
            'the gateway is bad',
            async () => (await own.source('gateway')).code === 'timeout',
          )
          // A connection that is given up is only forgotten after undici's own 10 s, which no clock of ours makes shorter: so it is the plateau that counts.
          const log = own.logSince()
          const mostIn = async (serviceMinutes: number) => {
            let most = 0
            for (let minute = 0; minute < serviceMinutes; minute += 1) {
              await pause(60_000 / 120)
              most = Math.max(most, openFiles(own.pid))
            }
            return most
          }
          await mostIn(24)
          const [early, late] = [await mostIn(18), await mostIn(18)]

          expect(late).toBeLessThanOrEqual(early + 4)
          const calls = ['gateway', 'accounts'].map((source) => {
            const failed = failedPolls(log(), source)
            const gaps = gapsInSeconds(failed)
            // A second call at the same time would end soon after the first.
            expect(Math.min(...gaps), source).toBeGreaterThan(TIMEOUT_SECONDS / 2)
            expect(new Set(failed.map(({ reason }) => reason)), source).toEqual(
              new Set([DEADLINE_REASON]),
            )
            return `${source} ${failed.length} calls`
          })
          return `code "timeout", ${calls.join(', ')}, open files at most ${early} in the first and ${late} in the second half of the hour`
        })
      },
    )
    hole.close()
  })

  it('a name that cannot be resolved: said as that, and mended within a period', async (context) => {
    const down = join(folder, 'dns-down')
    await withService(
      {
        upstreamUrl: (url) => url.replace('127.0.0.1', 'upstream.invalid'),
        faults: { dnsDownFile: down },
      },
      async (own) => {
        await own.until('live')
        await underFault(context, own, async () => {
          writeFileSync(down, '')
          await own.served.close()
          await own.served.reopen()
          await eventually(
            'the gateway is bad',
            async () => (await own.source('gateway')).code === 'dns',
          )
          const { code, note } = await own.source('gateway')
          const log = own.logSince()
          rmSync(down)
          await own.until('live')

          expect(own.output()).toContain('code=dns')
          // One that was on its way, and one whose look-up had begun.
          expect(failedPolls(log(), 'gateway').length).toBeLessThanOrEqual(2)
          return `"${code}: ${note}", live again with the next poll`
        })
      },
    )
  })

  it.for([
    ['self-signed', '/CN=localhost', 'subjectAltName=DNS:localhost', 365, false],
    ['expired', '/CN=localhost', 'subjectAltName=DNS:localhost', -1, true],
    ['for another name', '/CN=elsewhere', 'subjectAltName=DNS:elsewhere.example', 365, true],
  ] as const)(
    'a certificate that is %s: refused, and nothing was said to it',
    async ([name, subject, alternative, days, trusted], context) => {
      const [key, cert] = [
        join(folder, `${days}${subject.slice(4)}.key`),
        join(folder, `${days}${subject.slice(4)}.pem`),
      ]
      makeCertificate({ key, cert, subject, alternative, days })
      const seen: string[] = []
      const proxy = createTlsServer(
        { key: readFileSync(key), cert: readFileSync(cert) },
        (request, response) => {
          seen.push(request.url ?? '')
          response.end('{}')
        },
      )
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
      const upstreamUrl = () => `https://localhost:${(proxy.address() as AddressInfo).port}`
      await withService(
        {
          upstreamUrl,
          // A handshake that a busy machine makes slowly is refused for its certificate, not for its time.
          flags: longDeadline,
          env: trusted ? { NODE_EXTRA_CA_CERTS: cert } : {},
        },
        async (own) => {
          await underFault(context, own, async () => {
            await eventually(
              'the list failed twice',
              async () => (await own.source('accounts')).tone === 'bad',
            )
            // Long enough for several more attempts, none of which may give in, and for a percentile of a process that has just begun.
            await serviceSeconds(60)
            const { code, note, tone } = await own.source('accounts')

            expect({ code, tone }).toEqual({ code: 'tls', tone: 'bad' })
            expect(await own.metric('svc_quota_monitor_gateway_up')).toBe(0)
            expect(own.output()).toMatch(/source=accounts code=tls/)
            expect(seen).toEqual([])
            return `${name}: "${code}: ${note}"`
          })
        },
      )
      proxy.close()
    },
  )
})

/** A listener that takes no more connections: its backlog is full and its process stopped, so that further packets are dropped. */
async function openBlackHole() {
  const program =
    "require('net').createServer(()=>{}).listen({port:0,host:'127.0.0.1',backlog:1},function(){console.log(this.address().port)})"
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] })
  const port = await new Promise<number>((resolve) =>
    child.stdout.once('data', (text) => resolve(Number(text))),
  )
  child.kill('SIGSTOP')
  const sockets: Socket[] = []
  for (let full = false; !full; ) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    sockets.push(socket)
    full = await Promise.race([
      new Promise<boolean>((resolve) => socket.once('connect', () => resolve(false))),
      // On a busy machine this process may hear late of a connection that is made.
      pause(300)
        .then(settle)
        .then(() => socket.connecting),
    ])
  }
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      for (const socket of sockets) socket.destroy()
      child.kill('SIGKILL')
    },
  }
}

function makeCertificate(of: {
  readonly key: string
  readonly cert: string
  readonly subject: string
  readonly alternative: string
  readonly days: number
}): void {
  const request = `${of.cert}.csr`
  const extensions = `${of.cert}.ext`
  writeFileSync(extensions, of.alternative)
  execFileSync(
    'openssl',
    [
      'req',
      '-new',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      of.key,
      '-subj',
      of.subject,
      '-out',
      request,
    ],
    {
      stdio: 'ignore',
    },
  )
  execFileSync(
    'openssl',
    [
      'x509',
      '-req',
      '-in',
      request,
      '-signkey',
      of.key,
      '-days',
      String(of.days),
      '-extfile',
      extensions,
      '-out',
      of.cert,
    ],
    { stdio: 'ignore' },
  )
  if (!existsSync(of.cert)) throw new Error('openssl made no certificate')
}
