import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { connectionOf, isAddress } from './address.ts'

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'svc-address-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function fileOf(text: string, mode = 0o600): string {
  const path = join(folder, `${Math.abs(mode)}-${text.length}`)
  writeFileSync(path, text, { mode })
  return path
}

describe('the way to a database', () => {
  it('is an address, not a path', () => {
    expect(['postgres://h/d', 'postgresql://h/d'].map(isAddress)).toEqual([true, true])
    expect(['/srv/h.db', 'C:\\h.db', './postgres://h'].map(isAddress)).toEqual([
      false,
      false,
      false,
    ])
  })

  it.each([
    ['postgres://db.example/h?sslmode=verify-full', { host: 'db.example', port: 5432 }],
    ['postgres://m%20n@[::1]:6432/h?sslmode=disable', { host: '::1', port: 6432, user: 'm n' }],
    ['postgres:///h%20x?host=/run/pg&sslmode=disable', { host: '/run/pg', database: 'h x' }],
  ])('by %s is %j', async (location, expected) => {
    expect(await connectionOf(location, null)).toMatchObject(expected)
  })

  it('is encrypted, and the server must prove itself, unless the settings say that it is this machine', async () => {
    const ssl = async (location: string) => (await connectionOf(location, null)).ssl

    expect(await ssl('postgres://h/d?sslmode=disable')).toBe(false)
    expect(await ssl('postgres://h/d?sslmode=verify-full')).toMatchObject({
      rejectUnauthorized: true,
    })
    expect(await ssl('postgres://h/d')).toMatchObject({ rejectUnauthorized: true })
    const own = fileOf('own authority')
    expect(await ssl(`postgres://h/d?sslmode=verify-full&sslrootcert=${own}`)).toMatchObject({
      rejectUnauthorized: true,
      ca: 'own authority',
    })
  })

  it('has the password of its file, as it is there now, without the end of the line', async () => {
    const file = fileOf('first\n')
    const password = async () => (await connectionOf('postgres://h/d', file)).password

    expect(await password()).toBe('first')
    writeFileSync(file, ' se cond\r\n')
    expect(await password()).toBe(' se cond')
    writeFileSync(file, '\ufeffthird\n\n')
    expect(await password()).toBe('third')
    expect((await connectionOf('postgres://h/d', null)).password).toBeUndefined()
  })

  it.each([
    ['that is not there', () => join(folder, 'gone'), /missing/],
    ['that is a folder', () => folder, /not_a_file/],
    ['that is empty', () => fileOf('\n'), /empty/],
    ['of two lines', () => fileOf('canary\npassword'), /several_lines/],
    ['that others can write', () => fileOf('canary-password', 0o600), /writable_by_others/],
  ])('is not gone with a password file %s', async (what, path, why) => {
    const file = path()
    if (what.includes('write')) chmodSync(file, 0o662)

    const refused = connectionOf('postgres://h/d', file)
    await expect(refused).rejects.toMatchObject({
      code: 'cannot_open',
      message: expect.stringMatching(why),
    })
    await expect(refused).rejects.not.toThrow(/canary/)
  })
})
