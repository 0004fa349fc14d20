import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@svc/sqlite'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { freePort, ownFlags, runProgram } from '../../tooling/service/built-program.ts'
import { type ServiceProcess, startService } from '../../tooling/service/start-service.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-bundle-'))
const at = (...names: readonly string[]) => join(folder, ...names)
let service: ServiceProcess | null = null
afterEach(async () => {
  await service?.stop()
  service = null
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function hasTables(path: string): boolean {
  const db = openSqlite(path, { readonly: true })
  try {
    return (
      db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'api_names'").pluck().get() === 1
    )
  } finally {
    db.close()
  }
}

describe('the bundle command', () => {
  it('collects what there is, redacted, and lists it', async () => {
    const port = String(await freePort())
    service = await startService({ where: 'program', args: ['--demo', '--port', port] })
    writeFileSync(at('key'), 'canary words of a key\n', { mode: 0o600 })
    // A quote in a secret must not change what stands around others.
    writeFileSync(
      at('labels.json'),
      JSON.stringify({ clients: [{ apiName: `o'canary "key\\`, label: 'team "canary"' }] }),
    )
    mkdirSync(at('auths'))
    writeFileSync(
      at('auths', 'a.json'),
      JSON.stringify({
        email: 'boss@corp.example',
        refresh_token: 'rt_canary0123456789',
        label: 'The canary',
      }),
    )
    writeFileSync(
      at('service.log'),
      'first\nmail boss@corp.example, key canary words of a key\nThe canary\n',
    )
    const held = {
      'management-key-file': 'key',
      'auth-dir': 'auths',
      'client-labels-file': 'labels.json',
    }
    const flags = Object.entries(held).map(([flag, name]) => `--${flag}=${at(name)}`)
    const wanted = [...flags, '--port', port, '--output', at('out'), '--log', at('service.log')]
    mkdirSync(at('tmp'))
    const { code, stdout, stderr } = await runProgram(['bundle', ...(await ownFlags(...wanted))], {
      env: { TMPDIR: at('tmp') },
    })
    const files = readdirSync(at('out')).sort()
    const everything = files.map((name) => readFileSync(at('out', name), 'utf8')).join('\n')

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(files).toEqual([
      'README.txt',
      'doctor.json',
      'health.json',
      'log.txt',
      'settings.json',
      'status.json',
      'versions.json',
    ])
    expect(stdout).toContain('missing   store.json: no store is configured')
    expect(everything).not.toMatch(/canary|boss@|@example\.(?:com|org)/)
    expect(
      JSON.parse(readFileSync(at('out', 'status.json'), 'utf8')).tabs.pool.accounts.length,
    ).toBeGreaterThan(10)
    for (const name of files) {
      expect(statSync(at('out', name)).mode & 0o777).toBe(0o600)
      if (name !== 'README.txt')
        expect(readFileSync(at('out', 'README.txt'), 'utf8')).toContain(name)
      if (name.endsWith('.json'))
        expect(() => JSON.parse(readFileSync(at('out', name), 'utf8')), name).not.toThrow()
    }
    expect(statSync(at('out')).mode & 0o777).toBe(0o700)
    expect(readdirSync(at('tmp'))).toEqual([])
  })

  it('says what is missing where no service runs, and takes the shape of the store without a row', async () => {
    const source = at('store.db')
    service = await startService({
      where: 'program',
      args: await ownFlags('--state-db', source),
    })
    await eventually('the store is there', async () => existsSync(source) && hasTables(source))
    await service.stop()
    service = null
    const db = openSqlite(source)
    db.prepare("INSERT INTO api_names (name) VALUES ('canary client')").run()
    db.close()
    const { code, stdout } = await runProgram([
      'bundle',
      ...(await ownFlags('--state-db', source, '--output', at('down'), '--json')),
    ])
    const report = JSON.parse(stdout) as { files: { file: string; missing: string | null }[] }
    const store = readFileSync(at('down', 'store.json'), 'utf8')

    expect(code).toBe(0)
    expect(report.files.find(({ file }) => file === 'health.json')?.missing).toBe(
      'the service does not answer at its configured address',
    )
    expect(JSON.parse(store)).toMatchObject({
      schemaVersion: expect.any(Number),
      rowsByTable: { api_names: 1, usage: 0 },
    })
    expect(store).not.toContain('canary')
  })

  it.each([
    ['a log that is not there', ['--log', 'gone.log'], 'log.txt'],
    ['a unit that is not there', ['--journal', 'no-such-unit-of-anybody.service'], 'journal.txt'],
  ])('fails where %s was asked for', async (_, flags, file) => {
    const out = at(`asked-${file}`)
    const { code, stdout } = await runProgram([
      'bundle',
      ...(await ownFlags('--output', out, ...flags)),
    ])

    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining(`missing   ${file}: `),
    })
  })

  it('says which secrets it could not know', async () => {
    const out = at('unknown')
    const flags = await ownFlags('--management-key-file', at('no-key'), '--output', out)
    const { code, stderr } = await runProgram(['bundle', ...flags])

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('management_key_file cannot be read (ENOENT)'),
    })
    expect(readFileSync(join(out, 'README.txt'), 'utf8')).toContain(
      'management_key_file cannot be read (ENOENT)',
    )
  })

  it('refuses a folder that is there, and a missing one', async () => {
    expect(await runProgram(['bundle', '--config', 'off', '--output', folder])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exists already'),
    })
    expect(await runProgram(['bundle', '--config', 'off'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--output'),
    })
  })
})

describe('the redact command', () => {
  it('refuses the file of a map that is there before it does anything', async () => {
    writeFileSync(at('notes.txt'), 'mail ana@mail.example\n')
    writeFileSync(at('map.json'), '{}')
    const { code, stderr } = await runProgram([
      'redact',
      '--config',
      'off',
      at('notes.txt'),
      '--output',
      at('mapped'),
      '--keep-map',
      at('map.json'),
    ])

    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('exists already') })
    expect(existsSync(at('mapped'))).toBe(false)
    expect(readFileSync(at('map.json'), 'utf8')).toBe('{}')
  })
})
