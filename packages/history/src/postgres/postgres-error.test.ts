import { describe, expect, it } from 'vitest'
import { HistoryError } from '../contract/history-error.ts'
import { databaseErrorOf } from './postgres-error.ts'

const withCode = (code: string) => Object.assign(new Error('a value'), { code })

describe('a failure of the database', () => {
  it.each([
    ['the connection ends', '08006', 'unreachable'],
    ['an administrator ends the connection', '57P01', 'unreachable'],
    ['the certificate is revoked', 'CERT_REVOKED', 'not_trusted'],
    ['the password is wrong', '28P01', 'login_refused'],
    ['the role may not', '42501', 'not_permitted'],
    ['the server is a standby', '25006', 'read_only'],
    ['its disk is full', '53100', 'disk_full'],
    ['it has no connection left', '53300', 'busy'],
    ['a lock is not given', '55P03', 'busy'],
    ['a statement takes too long', '57014', 'busy'],
    ['two writers wait for each other', '40P01', 'busy'],
    ['its disk fails', '58030', 'io_error'],
    ['an index is damaged', 'XX002', 'corrupt'],
  ])('has a code of ours when %s', (_what, code, failure) => {
    expect(databaseErrorOf(withCode(code))).toMatchObject({ code: failure, message: failure })
  })

  it.each([
    ['Connection terminated unexpectedly', 'unreachable'],
    ['SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string', 'login_refused'],
  ])('has one where the driver gives none: %s', (message, failure) => {
    expect(databaseErrorOf(new Error(message))).toMatchObject({ code: failure, message: failure })
  })

  it.each([
    ['ENOTFOUND', 'unreachable', /host name of the database is not known/],
    ['EAI_AGAIN', 'unreachable', /host name of the database is not known/],
    ['ECONNREFUSED', 'unreachable', /nothing listens/],
    ['ENOENT', 'unreachable', /no socket/],
    ['EHOSTUNREACH', 'unreachable', /does not answer/],
    ['57P03', 'unreachable', /starting or stopping/],
    ['3D000', 'cannot_open', /no database of that name/],
    ['CERT_HAS_EXPIRED', 'not_trusted', /out of date/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'not_trusted', /another name/],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'not_trusted', /authority/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'not_trusted', /authority/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'not_trusted', /authority/],
    ['XX123', 'cannot_open', /answers with error XX123/],
  ])('of which the code says too little has a reason and a remedy: %s', (code, failure, reason) => {
    expect(databaseErrorOf(withCode(code))).toMatchObject({
      code: failure,
      message: expect.stringMatching(reason),
      remedy: expect.stringMatching(/\.$/),
    })
  })

  it.each([
    [
      'the role has no connection left',
      '53300',
      'InitializeSessionUserId',
      'busy',
      /^the role may/,
    ],
    ['the database has none left', '53300', 'CheckMyDatabase', 'busy', /^the database lets no/],
    ['the server has none left', '53300', 'InitProcess', 'busy', /^busy$/],
    ['the database is closed', '55000', 'CheckMyDatabase', 'cannot_open', /is closed to conn/],
    ['the role may not connect', '42501', 'CheckMyDatabase', 'not_permitted', /may not connect/],
    ['the role may not write', '42501', 'aclcheck_error', 'not_permitted', /^not_permitted$/],
  ])(
    'is told by the routine of the server, whatever its language: %s',
    (_, code, routine, failure, reason) => {
      const error = Object.assign(new Error('zu viele Verbindungen'), { code, routine })

      expect(databaseErrorOf(error)).toMatchObject({
        code: failure,
        message: expect.stringMatching(reason),
      })
    },
  )

  it.each([
    ['transaction blocks not allowed in statement pooling mode', 'cannot_open', /each statement/],
    ['role "canary" is not permitted to log in', 'login_refused', /^the role may not log in/],
    ['no such database: canary', 'cannot_open', /the pooler .* knows no database/],
    ['database "canary" does not exist', 'cannot_open', /the server has no database/],
    ['too many connections for role "canary"', 'busy', /^the role may/],
    ['"trust" authentication failed', 'login_refused', /^login_refused$/],
    ['no more connections allowed (max_client_conn)', 'busy', /^busy$/],
    ['pgbouncer cannot connect to server', 'unreachable', /^unreachable$/],
  ])('is told by the words of a pooler, and repeats none: %s', (message, failure, reason) => {
    const told = databaseErrorOf(Object.assign(new Error(message), { code: '08P01' }))

    expect(told).toMatchObject({ code: failure, message: expect.stringMatching(reason) })
    expect(`${told.message}${told.remedy}`).not.toContain('canary')
  })

  it.each([
    ['The server does not support SSL connections', 'not_trusted', /does not encrypt/],
    ['timeout expired', 'unreachable', /does not answer/],
  ])('and so has what the driver says without a code: %s', (message, code, reason) => {
    expect(databaseErrorOf(new Error(message))).toMatchObject({
      code,
      message: expect.stringMatching(reason),
    })
  })

  it('of our own stays as it is', () => {
    const own = new HistoryError('server_too_old')
    expect(databaseErrorOf(own)).toBe(own)
  })
})
