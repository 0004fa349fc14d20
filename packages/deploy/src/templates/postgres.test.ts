import { describe, expect, it } from 'vitest'
import { anInstallation } from '../testing/an-installation.ts'
import { postgresCompose, postgresHba, postgresRefusal, postgresSql } from './postgres.ts'

// The effect of these files on a server is tested in apps/cli/src/commands/init-postgres.test.ts.

describe('a database for the history', () => {
  it('is made under the usual names where none are configured, also beside a file', () => {
    for (const installation of [
      anInstallation(),
      anInstallation({ flags: { 'state-db': '/x.db' } }),
    ]) {
      expect(postgresSql(installation)).toContain(
        '--   state_db = "postgres://svc_quota_monitor@127.0.0.1/svc_quota_monitor"',
      )
      expect(postgresHba(installation)).toContain('"svc_quota_monitor"  "svc_quota_monitor"')
    }
  })

  it('has a role whose name nothing can break out of', () => {
    const user = `a"; DROP ROLE x; '`
    const installation = anInstallation({
      flags: { 'state-db': `postgres://${encodeURIComponent(user)}@db.example/h` },
    })
    const sql = postgresSql(installation)

    expect(sql).toContain(`ALTER ROLE "a""; DROP ROLE x; '" LOGIN`)
    expect(sql).toContain(`rolname = 'a"; DROP ROLE x; '''`)
    expect(postgresHba(installation)).toContain(`"a""; DROP ROLE x; '"  192.0.2.7/32`)
  })

  it('is not made for a name with a line break', () => {
    const flags = { 'state-db': 'postgres://a%0Ahost%20all%20all@db.example/h' }

    expect(postgresRefusal(anInstallation({ flags }))).toContain('control character')
    expect(postgresRefusal(anInstallation())).toBeNull()
  })

  it('beside the container listens on no network, and its passwords stand in files', () => {
    const text = postgresCompose()

    expect(text).toContain('network_mode: none')
    expect(text).toContain('"listen_addresses="')
    expect(text).not.toMatch(/PASSWORD: /)
    // Every volume and secret in use is also defined.
    for (const name of ['state-db', 'state-db-socket'])
      expect(text).toMatch(new RegExp(`^ {2}${name}:$`, 'm'))
    expect(text.match(/^ {4}file: /gm)).toHaveLength(2)
  })
})
