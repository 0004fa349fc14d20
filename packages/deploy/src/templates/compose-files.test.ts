import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { anInstallation, type Circumstances } from '../testing/an-installation.ts'
import { ALL_ODD_NAMES } from '../testing/odd-names.ts'
import { compose } from './compose.ts'
import { postgresCompose } from './postgres.ts'

// Structure as Compose reads the files; compose.test.ts and postgres.test.ts check the values.

interface Service {
  readonly image?: string
  readonly user?: string
  readonly ports?: readonly string[]
  readonly network_mode?: string
  readonly volumes?: readonly string[]
  readonly secrets?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test: readonly string[] }
}
interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes?: Readonly<Record<string, unknown>>
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>
}

function parsed(text: string): ComposeFile {
  const document = parseDocument(text, { strict: true, uniqueKeys: true })
  expect([...document.errors, ...document.warnings]).toEqual([])
  return document.toJS()
}

/** Names of volumes that a service mounts, without paths of the machine. */
const volumesOf = ({ volumes = [] }: Service) =>
  volumes.map((volume) => volume.split(':')[0] ?? '').filter((source) => !/^[./]/.test(source))

/** Checks that everything a service refers to exists, and that nothing else can be reached or read. */
function expectSound({ services, volumes = {}, secrets = {} }: ComposeFile): void {
  const used = Object.values(services)
  for (const service of used) {
    const { ports = [], environment = {}, depends_on: needs = {} } = service
    expect(service.image).toMatch(/^[a-z-]+:\d/)
    expect(service.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(service.healthcheck?.test[0]).toBe('CMD')
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/)
    for (const [name, value] of Object.entries(environment)) {
      if (/PASSWORD|KEY/.test(name)) expect(name).toMatch(/_FILE$/)
      if (!/(?:PASSWORD|KEY)_FILE$/.test(name)) continue
      const secret = value.replace(/^\/run\/secrets\//, '')
      const named = secret.replaceAll('{name}', 'tokyo')
      expect(service.secrets).toContain(named)
    }
    for (const [name, { condition }] of Object.entries(needs)) {
      expect(condition).toBe('service_healthy')
      expect(services).toHaveProperty(name)
    }
  }
  expect(Object.keys(volumes).sort()).toEqual([...new Set(used.flatMap(volumesOf))].sort())
  expect(Object.keys(secrets).sort()).toEqual(
    [...new Set(used.flatMap((service) => service.secrets ?? []))].sort(),
  )
  for (const { file } of Object.values(secrets)) expect(file).toMatch(/^\.?\//)
}

/** The second file merged into the first by Compose's rules: lists and tables are combined. */
function together(first: ComposeFile, second: ComposeFile): ComposeFile {
  const names = [...new Set([...Object.keys(first.services), ...Object.keys(second.services)])]
  const both = (name: string): Service => {
    const [one, other] = [first.services[name] ?? {}, second.services[name] ?? {}]
    return {
      ...one,
      ...other,
      volumes: [...(one.volumes ?? []), ...(other.volumes ?? [])],
      secrets: [...(one.secrets ?? []), ...(other.secrets ?? [])],
      environment: { ...one.environment, ...other.environment },
    }
  }
  return {
    services: Object.fromEntries(names.map((name) => [name, both(name)])),
    volumes: { ...first.volumes, ...second.volumes },
    secrets: { ...first.secrets, ...second.secrets },
  }
}

const circumstances: readonly (readonly [string, Circumstances])[] = [
  ['with nothing set', {}],
  ['beside a proxy in a container', { flags: { 'upstream-url': 'http://cli-proxy-api:8317' } }],
  ['without a history', { flags: { 'state-db': 'off' } }],
  [
    'with secrets in the environment',
    {
      env: {
        SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'canary',
        PGPASSWORD: 'canary',
        SVC_QUOTA_MONITOR_STATE_DB: 'postgres://db.example/h?sslrootcert=/srv/own.pem',
        SVC_QUOTA_MONITOR_STATE_DB_PASSWORD_FILE: '/srv/db-password',
      },
    },
  ],
  [
    'with tables of several proxies',
    {
      toml: ['tokyo', 'berlin']
        .map((name) => `[[upstream]]\nname = "${name}"\nurl = "https://${name}.example"\n`)
        .map((table) => `${table}management_key_file = "keys"\nauth_dir = "/srv/a: b"\n`)
        .join(''),
    },
  ],
  [
    'with targets of messages',
    {
      toml: ['phone', 'ops']
        .map((name) => `[[notify]]\nname = "${name}"\nkind = "bark"\nurl_file = "n-${name}"\n`)
        .join(''),
    },
  ],
  [
    'with paths that YAML could read as something else',
    {
      flags: {
        'client-labels-file': `/srv/${ALL_ODD_NAMES}/labels.json`,
        'auth-dir': `/srv/${ALL_ODD_NAMES.replaceAll(':', '')}`,
        'management-key-file': '/srv/a: b #c',
      },
    },
  ],
]

describe.each(circumstances)('compose.yaml %s', (_, given) => {
  const text = compose(anInstallation(given))

  it('is a file that Compose takes, of one sound service', () => {
    const file = parsed(text)

    expect(Object.keys(file.services)).toEqual(['svc-quota-monitor'])
    expectSound(file)
    expect(text).not.toContain('canary')
  })

  it('is one with compose.postgres.yaml', () => {
    expectSound(together(parsed(text), parsed(postgresCompose())))
  })
})

describe('compose.postgres.yaml', () => {
  const { services, volumes, secrets } = parsed(postgresCompose())
  const database = services['state-db']

  it('adds a database of version 15 or newer, which no network reaches', () => {
    expect(Object.keys(services)).toEqual(['svc-quota-monitor', 'state-db'])
    expect(Number(/^postgres:(\d+)$/.exec(database?.image ?? '')?.[1])).toBeGreaterThanOrEqual(15)
    expect([database?.network_mode, database?.ports]).toEqual(['none', undefined])
    expect(database?.healthcheck?.test).toContain('pg_isready')
  })

  it('keeps its data in a volume, and its passwords in two files', () => {
    const { PGDATA = '' } = database?.environment ?? {}
    const place = database?.volumes?.find((volume) => volume.startsWith('state-db:'))

    expect(PGDATA).toContain(`${place?.slice('state-db:'.length)}/`)
    expect(Object.keys(volumes ?? {})).toEqual(['state-db', 'state-db-socket'])
    const files = Object.values(secrets ?? {}).map(({ file }) => file)
    expect(files).toEqual(['./state-db-password', './state-db-superuser'])
  })

  it('gives the service the password of its own role alone', () => {
    expect(services['svc-quota-monitor']?.secrets).toEqual(['state-db-password'])
  })
})
