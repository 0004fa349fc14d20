import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { freePort, runProgram } from '../../tooling/service/built-program.ts'
import { type ServiceProcess, startService } from '../../tooling/service/start-service.ts'

const NAME = 'quota.example.com'
const CANARY = 'init-canary-key-0815'
const isCi = process.env.CI !== undefined
const folder = mkdtempSync(join(tmpdir(), 'svc-init-'))
const at = (name: string) => join(folder, name)
const text = (name: string) => readFileSync(at(name), 'utf8')

let demo: ServiceProcess
let port: string

beforeAll(async () => {
  port = String(await freePort())
  demo = await startService({
    where: 'program',
    args: ['--demo', '--port', port, '--allowed-host', NAME],
  })
  const written = await runProgram(
    ['init', '--config', 'off', '--port', port, '--allowed-host', NAME, '--write', folder],
    {
      env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: CANARY },
    },
  )
  // In a clone below a home directory it makes no unit, and says so.
  expect(written.code).toBe(0)
})
afterAll(async () => {
  await demo.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a tool of the machine; `skip` where it is not installed, which CI must not do. */
function tool(context: TestContext, command: string, args: readonly string[]) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    cwd: folder,
  })
  if (error !== undefined && !isCi) context.skip(`skipped, because ${command} is not installed`)
  return { status, output: stdout + stderr }
}

const children: ChildProcess[] = []
// The master of nginx ends its workers, but not if it is killed.
afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.pid === undefined) continue
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
})

function background(
  context: TestContext,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  if (spawnSync(command, ['-v']).error !== undefined && !isCi)
    context.skip(`skipped, because ${command} is not installed`)
  const child = spawn(command, args, {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, ...env },
  })
  children.push(child)
  return child
}

async function eventually<Value>(ask: () => Promise<Value | null>): Promise<Value> {
  for (const endsAt = performance.now() + 60_000; ; ) {
    const value = await ask().catch(() => null)
    if (value !== null) return value
    if (performance.now() > endsAt) throw new Error('it did not happen in time')
    await pause(100)
  }
}

describe('what init writes', () => {
  it('as a configuration means what it was made from', async () => {
    const read = await runProgram(['print-config', '--json', '--config', at('config.toml')])
    const { settings } = JSON.parse(read.stdout) as {
      readonly settings: Readonly<
        Record<string, { readonly value: unknown; readonly source: string }>
      >
    }

    expect(settings.port).toEqual({ value: Number(port), source: 'file' })
    expect(settings.allowed_hosts).toEqual({ value: [NAME], source: 'file' })
    expect(settings.refresh_seconds).toEqual({ value: 15, source: 'default' })
    // Every line that is not in force would be taken too.
    writeFileSync(
      at('all.toml'),
      text('config.toml')
        .replace(/^# (\w+ = )/gm, '$1')
        .replace(/^(?:gateway_health_url|upstream_ui_url|state_db|upstreams_file) = .*$/gm, ''),
    )
    expect(await runProgram(['print-config', '--config', at('all.toml')])).toMatchObject({
      code: 0,
      stderr: '',
    })
    rmSync(at('all.toml'))
  })

  it('as rules is taken by promtool', (context) => {
    expect(tool(context, 'promtool', ['check', 'config', 'prometheus.yml']).status).toBe(0)
    expect(tool(context, 'promtool', ['check', 'rules', 'quota-rules.yml']).output).toContain(
      'SUCCESS: 20 rules found',
    )
  })

  it('has every alert and panel ask for metrics that exist', async () => {
    const families = new Set(
      [...(await (await fetch(`${demo.url}/metrics`)).text()).matchAll(/^# TYPE (\S+)/gm)].map(
        ([, name]) => name,
      ),
    )
    const asked = new Set(
      [
        ...(text('quota-rules.yml') + text('grafana-dashboard.json')).matchAll(
          /svc_quota_monitor_[a-z_]+/g,
        ),
      ].map(([name]) => name.replace(/_bucket$/, '')),
    )

    expect(asked.size).toBeGreaterThan(12)
    expect([...asked].filter((name) => !families.has(name))).toEqual([])
  })

  // These three wait side by side: Prometheus scrapes nothing in its first five seconds.
  it.concurrent('has Prometheus scrape the service and evaluate the rules', async (context) => {
    const web = `127.0.0.1:${await freePort()}`
    writeFileSync(at('fast.yml'), text('prometheus.yml').replaceAll('15s', '1s'))
    background(context, 'prometheus', [
      '--config.file=fast.yml',
      `--storage.tsdb.path=${at('tsdb')}`,
      `--web.listen-address=${web}`,
    ])
    const ask = async <Answer>(path: string): Promise<Answer> =>
      ((await (await fetch(`http://${web}/api/v1/${path}`)).json()) as { data: Answer }).data
    const value = async (query: string): Promise<string | null> => {
      const { result } = await ask<{
        readonly result: readonly { readonly value: readonly [number, string] }[]
      }>(`query?query=${encodeURIComponent(query)}`)
      return result[0]?.value[1] ?? null
    }

    expect(await eventually(() => value('up{job="svc-quota-monitor"}'))).toBe('1')
    expect(
      Number(await eventually(() => value('svc_quota_monitor:capacity_left:ratio{window="5h"}'))),
    ).toBeGreaterThan(0)
    const { groups } = await ask<{
      readonly groups: readonly {
        readonly rules: readonly { readonly health: string; readonly lastError?: string }[]
      }[]
    }>('rules')
    const rules = groups.flatMap((group) => group.rules)
    expect(rules).toHaveLength(20)
    await eventually(async () => {
      const { groups: now } = await ask<{ readonly groups: typeof groups }>('rules')
      return now.flatMap((group) => group.rules).every(({ health }) => health === 'ok') || null
    })
  })

  it.concurrent('has nginx pass page, reads and refresh under the listed name and port, after a login, and no other name', async (context) => {
    const proxyPort = await freePort()
    const [listed, own] = [`${NAME}:${proxyPort}`, String(await freePort())]
    const strict = await startService({
      where: 'program',
      args: ['--demo', '--port', own, '--allowed-host', listed],
    })
    const { stdout } = await runProgram([
      'init',
      'nginx',
      '--config',
      'off',
      '--port',
      own,
      '--allowed-host',
      listed,
    ])
    const certificate = tool(context, 'openssl', [
      ...[
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '1',
        '-subj',
        `/CN=${NAME}`,
        '-keyout',
        'key.pem',
        '-out',
        'cert.pem',
      ],
    ])
    expect(certificate.status).toBe(0)
    writeFileSync(at('users'), 'ana:{PLAIN}secret\n')
    mkdirSync(at('nginx'), { recursive: true })
    const server = stdout
      .replace(`listen ${proxyPort} ssl`, `listen 127.0.0.1:${proxyPort} ssl`)
      .replace(/ssl_certificate \S+;/, `ssl_certificate ${at('cert.pem')};`)
      .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${at('key.pem')};`)
      .replace(/auth_basic_user_file \S+;/, `auth_basic_user_file ${at('users')};`)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${at('nginx')}/${kind};`,
    )
    writeFileSync(
      at('nginx-whole.conf'),
      `daemon off; ${process.getuid?.() === 0 ? 'user root;' : ''} pid ${at('nginx')}/pid; error_log ${at('nginx')}/error.log;\nevents {}\nhttp { access_log off; ${temporary.join(' ')}\n${server}\n}\n`,
    )
    expect(tool(context, 'nginx', ['-t', '-c', at('nginx-whole.conf')]).status).toBe(0)
    background(context, 'nginx', ['-c', at('nginx-whole.conf')])
    await usedThroughProxy(
      (options) =>
        httpsRequest({ ...options, port: proxyPort, rejectUnauthorized: false, servername: NAME }),
      {
        authority: listed,
        origin: `https://${listed}`,
      },
    )
    await strict.stop()
  })

  it.concurrent('has Caddy do the same', async (context) => {
    const proxyPort = await freePort()
    const hash = tool(context, 'caddy', ['hash-password', '--plaintext', 'secret'])
    // Without a public name there is no certificate; the rest is the sample.
    writeFileSync(
      at('Caddyfile.local'),
      `{\n\tadmin off\n\tauto_https off\n}\n${text('Caddyfile').replace(`${NAME} {`, `http://:${proxyPort} {\n\tbind 127.0.0.1`)}`,
    )
    background(
      context,
      'caddy',
      ['run', '--adapter', 'caddyfile', '--config', at('Caddyfile.local')],
      {
        QUOTA_USER: 'ana',
        QUOTA_PASSWORD_HASH: hash.output.trim(),
        HOME: folder,
      },
    )
    await usedThroughProxy((options) => httpRequest({ ...options, port: proxyPort }), {
      authority: `${NAME}:${proxyPort}`,
      origin: `http://${NAME}:${proxyPort}`,
    })
  })
})

type Ask = (options: {
  host: string
  method: string
  path: string
  headers: Record<string, string>
}) => ReturnType<typeof httpRequest>

async function usedThroughProxy(
  ask: Ask,
  { authority, origin }: { readonly authority: string; readonly origin: string },
): Promise<void> {
  const answer = async (
    path: string,
    { method = 'GET', ...headers }: Record<string, string> = {},
  ) => {
    const sent = ask({ host: '127.0.0.1', method, path, headers: { host: authority, ...headers } })
    sent.end()
    const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
    let body = ''
    for await (const chunk of response.setEncoding('utf8')) body += chunk
    return { status: response.statusCode, body }
  }
  const login = { authorization: `Basic ${Buffer.from('ana:secret').toString('base64')}` }

  expect((await eventually(() => answer('/'))).status).toBe(401)
  const page = await answer('/', login)
  expect(page.status).toBe(200)
  const token = /content="([\w-]{43})"/.exec(page.body)?.[1] ?? ''
  expect((await answer('/api/v1/status', { ...login, origin })).status).toBe(200)
  const refreshed = await answer('/api/v1/quota/refresh', {
    ...login,
    method: 'POST',
    origin,
    'sec-fetch-site': 'same-origin',
    'x-svc-quota-monitor-refresh-token': token,
  })
  expect(refreshed.status).toBe(202)
  expect((await answer('/api/v1/status', { ...login, host: 'evil.example' })).status).toBe(403)
  expect(
    (
      await answer('/api/v1/quota/refresh', {
        ...login,
        method: 'POST',
        origin: 'https://evil.example',
      })
    ).status,
  ).toBe(403)
}
