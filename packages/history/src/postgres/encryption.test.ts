import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres, whyNoPostgres } from '../testing/index.ts'
import { inspectDatabase } from './inspect-database.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-encryption-'))
const at = (name: string) => join(folder, name)
const isWithout =
  spawnSync('openssl', ['version']).error !== undefined && process.env.CI === undefined
const missing = whyNoPostgres() ?? (isWithout ? 'skipped, because openssl is not installed' : null)
let server: PostgresServer
let database: string

function openssl(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

beforeEach((context) => {
  if (missing !== null) context.skip(missing)
})
beforeAll(async () => {
  if (missing !== null) return
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  for (const authority of ['own', 'other'])
    openssl(
      ...['req', '-x509', ...key, '-days', '3650', '-subj', `/CN=${authority} authority`],
      ...['-keyout', `${authority}.key`, '-out', `${authority}.pem`],
    )
  openssl('req', '-new', ...key, '-subj', '/CN=db', '-keyout', 'server.key', '-out', 'server.csr')
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost')
  openssl(
    ...[
      'x509',
      '-req',
      '-in',
      'server.csr',
      '-CA',
      'own.pem',
      '-CAkey',
      'own.key',
      '-CAcreateserial',
    ],
    ...['-days', '3650', '-extfile', 'names', '-out', 'server.pem'],
  )
  const text = (name: string) => readFileSync(at(name), 'utf8')
  server = await startPostgres({
    certificate: { certificate: text('server.pem'), key: text('server.key') },
  })
  database = await server.createDatabase()
})
afterAll(async () => {
  await server?.remove()
  rmSync(folder, { recursive: true, force: true })
})

describe('the way to a database that must prove itself', () => {
  const inspected = (host: string, authority: string | null) => {
    const authorities = authority === null ? '' : `&sslrootcert=${at(authority)}`
    const parameters = `sslmode=verify-full${authorities}`
    return inspectDatabase(
      server.address(database, 'svc', parameters).replace('127.0.0.1', host),
      null,
    )
  }

  it('is taken where an authority of ours vouches for the name', async () => {
    expect(await inspected('localhost', 'own.pem')).toMatchObject({ role: 'svc' })
  })

  it.each([
    ['another name', '127.0.0.1', 'own.pem', /for another name/],
    ['another authority', 'localhost', 'other.pem', /authority that this machine does not know/],
    ['no authority that is known', 'localhost', null, /authority that this machine does not know/],
  ])('is not taken with %s, and says so', async (_what, host, authority, reason) => {
    await expect(inspected(host, authority)).rejects.toMatchObject({
      code: 'not_trusted',
      message: expect.stringMatching(reason),
    })
  })

  it('is not taken with an authority that cannot be read', async () => {
    await expect(inspected('localhost', 'gone.pem')).rejects.toMatchObject({ code: 'cannot_open' })
  })
})
