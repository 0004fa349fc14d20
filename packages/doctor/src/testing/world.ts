import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ConfigInput } from '@svc/config'
import { fixedClock, virtualClock } from '@svc/core/testing'
import { aFakeAccount, createFakeUpstream, type FakeUpstream, fetchOf } from '@svc/fake-proxy'
import { examine } from '../examine.ts'
import type { Finding } from '../finding.ts'

/** The key accepted by the proxy; no output may show it. */
export const KEY = 'doctor-canary-key-0815'
/** Address of the fake proxy; nothing really listens on this port. */
export const PROXY_URL = 'http://127.0.0.1:1'

/** A set-up that is sound except for these members. */
export interface SetUp {
  readonly argv?: readonly string[]
  readonly env?: Surroundings['env']
  readonly context?: Surroundings
  readonly toml?: string
  /** Changes the fake proxy before doctor runs. */
  readonly proxy?: (fake: FakeUpstream) => void | Promise<void>
  /** Answer of a server in front of the proxy; null lets the request through. */
  readonly front?: (request: Request) => Response | null
  /** The port the service should listen on; default: a free one. */
  readonly port?: number
}

export interface World {
  at(name: string): string
  file(name: string, text: string | Uint8Array, mode?: number): string
  folder(
    name: string,
    files?: Readonly<Record<string, string>>,
    modes?: { readonly folder?: number; readonly files?: number },
  ): string
  link(name: string, target: string): string
  /** A loopback port on which nothing listens. */
  freePort(): Promise<number>
  /** Listens on a free loopback port; returns the port. */
  listen(server: Server): Promise<number>
  serve(handler: RequestListener): Promise<number>
  finally(close: () => void): void
}

/** A set-up with the expected findings: every warning and failure as `status check code`, none for a sound one. */
export interface SetUpRow {
  readonly name: string
  readonly expected: readonly string[]
  readonly build: (world: World) => SetUp | Promise<SetUp>
}

export function row(
  name: string,
  expected: string | readonly string[],
  build: SetUpRow['build'] | SetUp,
): SetUpRow {
  return {
    name,
    expected: [expected].flat(),
    build: typeof build === 'function' ? build : () => build,
  }
}

export const SOUND: readonly string[] = []

export interface Examination {
  readonly output: string
  readonly checks: readonly Finding[]
  /** Every warning and failure as `status check code`. */
  readonly found: readonly string[]
  readonly fake: FakeUpstream
  /** Routes of the proxy that checked the key, in order. */
  readonly calls: readonly string[]
  readonly refused: number
}

export async function examineSetUp({ build }: Pick<SetUpRow, 'build'>): Promise<Examination> {
  const root = mkdtempSync(join(tmpdir(), 'svc-doctor-'))
  const closing: (() => void)[] = [() => rmSync(root, { recursive: true, force: true })]
  try {
    return await examined(await build(worldIn(root, closing)), root)
  } finally {
    for (const close of closing.reverse()) close()
  }
}

async function examined(
  { argv = [], env = {}, context = {}, toml, proxy, front, port }: SetUp,
  root: string,
): Promise<Examination> {
  const clock = virtualClock(() => new Promise((resolve) => setImmediate(resolve)))
  const fake = createFakeUpstream({
    now: clock.now,
    sleep: (milliseconds) => clock.advance(milliseconds),
    managementKey: KEY,
    accounts: [aFakeAccount({ name: 'ana' })],
  })
  fake.settings.queueRetentionSeconds = 3600
  await proxy?.(fake)
  const refusedBefore = fake.stats.refusedRequests
  const callsBefore = fake.requests.length
  const given = [
    '--config',
    toml === undefined ? 'off' : 'given.toml',
    '--port',
    String(port ?? (await freePort())),
  ]
  const checks = await examineWith([...given, ...argv], {
    clock,
    fetch: fetchThrough(fake, front),
    cwd: root,
    env: {
      SVC_QUOTA_MONITOR_UPSTREAM_URL: PROXY_URL,
      SVC_QUOTA_MONITOR_MANAGEMENT_KEY: KEY,
      ...env,
    },
    ...(toml === undefined ? {} : { readTextFile: () => toml }),
    ...context,
  })
  const found = checks
    .filter(({ status }) => status === 'warn' || status === 'fail')
    .map((one) => `${one.status} ${one.id} ${one.code}`)
  const calls = fake.requests
    .slice(callsBefore)
    .filter(({ route }) => route !== 'healthz' && route !== 'other')
    .map(({ route }) => route)
  return {
    output: JSON.stringify(checks),
    checks,
    found,
    fake,
    calls,
    refused: fake.stats.refusedRequests - refusedBefore,
  }
}

/** A `fetch` in which the fake answers for its own address and for every other machine; other ports of this machine are real. */
function fetchThrough(fake: FakeUpstream, front: SetUp['front']): typeof fetch {
  const asked = fetchOf(fake)
  return async (input, init) => {
    const request = new Request(input, init)
    const { hostname, port } = new URL(request.url)
    if (/^(?:127\.|localhost$|\[::1\])/.test(hostname) && port !== '1')
      return await globalThis.fetch(request)
    return front?.(request) ?? (await asked(request))
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}

function worldIn(root: string, closing: (() => void)[]): World {
  const at = (name: string) => join(root, name)
  const world: World = {
    at,
    file(name, text, mode = 0o600) {
      mkdirSync(dirname(at(name)), { recursive: true })
      writeFileSync(at(name), text)
      chmodSync(at(name), mode)
      return at(name)
    },
    folder(name, files = {}, modes = {}) {
      mkdirSync(at(name), { recursive: true })
      for (const [file, text] of Object.entries(files))
        world.file(`${name}/${file}`, text, modes.files)
      chmodSync(at(name), modes.folder ?? 0o700)
      return at(name)
    },
    link(name, target) {
      symlinkSync(target, at(name))
      return at(name)
    },
    freePort,
    async listen(server) {
      const port = await listening(server)
      closing.push(() => void server.close())
      return port
    },
    async serve(handler) {
      const server = createHttpServer(handler)
      closing.push(() => server.closeAllConnections())
      return await world.listen(server)
    },
    finally: (close) => void closing.push(close),
  }
  return world
}

/** Differences from a bare machine: environment, files, clock and network. */
type Surroundings = Partial<ConfigInput & Parameters<typeof examine>[1]>

export async function examineWith(argv: readonly string[], surroundings: Surroundings) {
  const flags: Record<string, string> = {}
  for (let index = 0; index < argv.length; index += 2) {
    const [name, value] = [argv[index]?.slice(2) ?? '', argv[index + 1] ?? '']
    flags[name] = name in flags ? `${flags[name]},${value}` : value
  }
  const { config = null, ...settings } = flags
  const around = {
    flags: settings,
    configFlag: config,
    env: {},
    cwd: '/srv',
    homeDir: '/home/someone',
    hostTimeZone: 'UTC',
    demo: false,
    readTextFile(): never {
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    },
    clock: fixedClock(),
    fetch: globalThis.fetch,
    nodeVersion: '20.19.0',
    ...surroundings,
  }
  return await examine(around, around)
}
