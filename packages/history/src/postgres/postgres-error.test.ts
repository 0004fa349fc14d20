import { describe, expect, it } from 'vitest'
import { HistoryError } from '../contract/history-error.ts'
import { databaseErrorOf } from './postgres-error.ts'

const withCode = (code: string) => Object.assign(new Error('a value'), { code })

describe('a failure of the database', () => {
  it.each([
    ['the connection ends', '08006', 'unreachable'],
    ['an administrator ends the connection', '57P01', 'unreachable'],
    ['the server is starting', '57P03', 'unreachable'],
    ['nobody listens', 'ECONNREFUSED', 'unreachable'],
    ['nobody vouches for the server', 'SELF_SIGNED_CERT_IN_CHAIN', 'not_trusted'],
    ['another name is vouched for', 'ERR_TLS_CERT_ALTNAME_INVALID', 'not_trusted'],
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
    ['the database is not there', '3D000', 'cannot_open'],
  ])('has a code of ours when %s', (_what, code, failure) => {
    expect(databaseErrorOf(withCode(code))).toMatchObject({ code: failure, message: failure })
  })

  it.each([
    ['Connection terminated unexpectedly', 'unreachable'],
    ['The server does not support SSL connections', 'not_trusted'],
    ['SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string', 'login_refused'],
  ])('has one where the driver gives none: %s', (message, failure) => {
    expect(databaseErrorOf(new Error(message))).toMatchObject({ code: failure, message: failure })
  })

  it('of our own stays as it is', () => {
    const own = new HistoryError('server_too_old')
    expect(databaseErrorOf(own)).toBe(own)
  })
})
