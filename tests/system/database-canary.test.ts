import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aFakeAccount, createFakeUpstream } from '@svc/fake-proxy'
import { type PostgresServer, startPostgres, whyNoPostgres } from '@svc/history/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { readPaths } from '../../tooling/read-text.ts'
import { serveFake } from '../../tooling/serve-fake.ts'
import { freePort, runProgram } from '../../tooling/service/built-program.ts'
import {
  MANAGEMENT_KEY,
  type ServiceProcess,
  startService,
} from '../../tooling/service/start-service.ts'
import { acceleratedClock } from '../../tooling/test-instant.ts'

/** The password that is right, and one that is wrong in every place where one may stand. None of them may show up anywhere. */
const CANARIES = {
  right: 'canary-right-password-1c7e',
  url: 'canary-url-password-2d8f',
  file: 'canary-file-password-3e90',
  passFile: 'canary-pass-file-password-4fa1',
  environment: 'canary-environment-password-50b2',
} as const
const COMMANDS = [
  ['print-config'],
  ['print-config', '--json'],
  ['doctor'],
  ['doctor', '--json'],
  ['init', 'config'],
  ['init', 'systemd'],
  ['init', 'backup-service'],
  ['init', 'compose'],
  ['init', 'postgres'],
  ['init', 'postgres-hba'],
]
const noPostgres = whyNoPostgres()
const folder = mkdtempSync(join(tmpdir(), 'svc-database-canary-'))
const outputs = new Map<string, string>()

function occurrences(text: string): readonly string[] {
  const forms = (canary: string) => [
    canary,
    encodeURIComponent(canary),
    Buffer.from(canary).toString('base64').slice(0, -4),
    Buffer.from(canary).toString('hex'),
  ]
  return Object.entries(CANARIES).flatMap(([name, canary]) =>
    forms(canary).some((form) => text.includes(form)) ? [name] : [],
  )
}

beforeEach((context) => {
  if (noPostgres !== null) context.skip(noPostgres)
})

describe('no password of the database shows up in any output', () => {
  let server: PostgresServer
  let close: () => Promise<void>
  let address: string
  let upstream: readonly string[]

  const written = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  /** Where a password stands, as flags and variables. */
  const placesOf = (password: string, name: string) => ({
    file: {
      flags: ['--state-db-password-file', written(`file-${name}`, `${password}\n`)],
      env: {},
    },
    environment: { flags: [], env: { PGPASSWORD: password } },
    passFile: {
      flags: [],
      env: { PGPASSFILE: written(`pgpass-${name}`, `127.0.0.1:*:*:*:${password}\n`) },
    },
  })

  const started = async (
    flags: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<ServiceProcess> =>
    startService({
      where: 'program',
      args: [...upstream, ...flags, '--log-level', 'debug', '--port', String(await freePort())],
      env,
    })
  /** Everything that a service says and hands out. */
  const heard = async (what: string, service: ServiceProcess, until: string) => {
    try {
      await eventually(`${what}: ${until}`, () => service.stderr().includes(until))
      for (const path of [...readPaths, '/'])
        outputs.set(`${what} ${path}`, await (await fetch(service.url + path)).text())
      await eventually(`${what}: health`, async () => {
        const health = await (await fetch(`${service.url}/api/v1/health`)).text()
        outputs.set(`${what} health`, health)
        return health.includes('"history"')
      })
    } finally {
      await service.stop()
      outputs.set(`${what} output`, service.output())
    }
  }
  const commanded = async (
    what: string,
    password: string,
    flags: readonly string[],
    env: Readonly<Record<string, string>>,
  ) => {
    for (const command of COMMANDS) {
      const { stdout, stderr } = await runProgram([...command, ...upstream, ...flags], { env })
      outputs.set(`${what} ${command.join(' ')}`, stdout + stderr)
    }
    const bundle = join(folder, `bundle of ${what}`)
    const log = written(
      `log of ${what}`,
      `connecting to postgres://svc:${CANARIES.url}@127.0.0.1/h failed\n${password}\n`,
    )
    const { stdout, stderr } = await runProgram(
      ['bundle', ...upstream, ...flags, '--output', bundle, '--log', log],
      { env },
    )
    outputs.set(`${what} bundle`, stdout + stderr)
    for (const name of readdirSync(bundle))
      outputs.set(`${what} bundle ${name}`, readFileSync(join(bundle, name), 'utf8'))
  }

  beforeAll(async () => {
    if (noPostgres !== null) return
    server = await startPostgres({ password: CANARIES.right })
    address = server.address(await server.createDatabase())
    const { now } = acceleratedClock()
    const fake = createFakeUpstream({
      now,
      managementKey: MANAGEMENT_KEY,
      accounts: [aFakeAccount({ name: 'good' })],
    })
    const served = await serveFake(fake, 0)
    close = served.close
    const key = written('key', MANAGEMENT_KEY)
    upstream = ['--config', 'off', '--upstream-url', served.url, '--management-key-file', key]
  })
  afterAll(async () => {
    await close?.()
    await server?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(['file', 'environment', 'passFile'] as const)('where it is right: %s', async (place) => {
    const { flags, env } = placesOf(CANARIES.right, 'right')[place]
    const all = ['--state-db', address, ...flags]
    await heard(`right ${place}`, await started(all, env), 'history store open')
    await commanded(`right ${place}`, CANARIES.right, all, env)

    expect(outputs.get(`right ${place} bundle store.json`)).toContain('"engine": "postgres"')
    expect(outputs.get(`right ${place} doctor`)).toMatch(/ok +state_db\.role/)
  })

  it.each(['file', 'environment', 'passFile'] as const)('where it is wrong: %s', async (place) => {
    const { flags, env } = placesOf(CANARIES[place], 'wrong')[place]
    const all = ['--state-db', address, ...flags]
    await heard(`wrong ${place}`, await started(all, env), 'history store not usable')
    await commanded(`wrong ${place}`, CANARIES[place], all, env)

    expect(outputs.get(`wrong ${place} output`)).toContain('reason=login_refused')
    expect(outputs.get(`wrong ${place} doctor`)).toMatch(/fail +state_db\.role/)
  })

  it('where it stands in the address, which is refused', async () => {
    const withPassword = address.replace('//svc@', `//svc:${CANARIES.url}@`)
    const toml = written('config.toml', `state_db = "${withPassword}"\n`)
    for (const [what, args, env] of [
      ['flag', ['--config', 'off', '--state-db', withPassword], {}],
      ['variable', ['--config', 'off'], { SVC_QUOTA_MONITOR_STATE_DB: withPassword }],
      ['file', ['--config', toml], {}],
      ['replica', ['--config', 'off', '--state-db-replica', withPassword], {}],
    ] as const) {
      for (const command of [[], ['print-config', '--json'], ['doctor'], ['init', 'config']]) {
        const { stdout, stderr, code } = await runProgram([...command, ...args], { env })
        outputs.set(`url by ${what} ${command.join(' ')}`, stdout + stderr)

        expect(code, `${what} ${command.join(' ')}`).not.toBe(0)
        expect(stdout + stderr).toMatch(/state_db_password_file, or into PGPASSFILE or PGPASSWORD/)
      }
    }
  })

  it('finds no marker in any of them', () => {
    const found = [...outputs].flatMap(([name, text]) =>
      occurrences(text).map((canary) => `${canary} in ${name}`),
    )

    expect(outputs.size).toBeGreaterThan(6 * COMMANDS.length)
    expect(found).toEqual([])
  })

  it('finds the words of a file nowhere in the health of a database', () => {
    for (const [name, text] of outputs)
      if (name.endsWith(' health'))
        expect(text, name).not.toMatch(/the disk of state_db|folder of state_db|WAL/)
  })
})
