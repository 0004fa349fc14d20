import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { openHistory } from '@svc/history'
import { openSqlite } from '@svc/sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { program, runProgram } from '../../tooling/service/built-program.ts'
import { testInstant } from '../../tooling/test-instant.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-redact-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (...names: readonly string[]) => join(folder, ...names)

describe('the redact command', () => {
  const run = (...argv: readonly string[]) =>
    runProgram([
      'redact',
      '--config',
      'off',
      ...argv.map((arg) => (arg.startsWith('--') ? arg : at(arg))),
    ])

  it('copies files and folders, names included, and says what was replaced', async () => {
    mkdirSync(at('in', 'logs'), { recursive: true })
    writeFileSync(
      at('in', 'status.json'),
      JSON.stringify({ title: 'ana@mail.example', source: 'live' }),
    )
    writeFileSync(at('in', 'logs', 'ana@mail.example.log'), 'from 203.0.113.9\n')
    writeFileSync(at('in', 'rows.csv'), 'email\nana@mail.example\n')
    symlinkSync('/etc/passwd', at('in', 'link.txt'))
    const { code, stdout, stderr } = await run(
      'in',
      '--output',
      'out',
      '--json',
      '--keep-map',
      'map.json',
    )
    const report = JSON.parse(stdout)

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(
      report.files.map(({ status, kind }: { status: string; kind?: string }) => kind ?? status),
    ).toEqual(['skipped', 'text', 'csv', 'json'])
    expect(JSON.stringify(readdirSync(at('out'), { recursive: true }))).not.toContain('ana@')
    const title = JSON.parse(readFileSync(at('out', 'in', 'status.json'), 'utf8')).title
    expect(readFileSync(at('out', 'in', 'rows.csv'), 'utf8')).toBe(`email\n${title}\n`)
    expect(statSync(at('out', 'in', 'status.json')).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(at('map.json'), 'utf8'))[title]).toBe('ana@mail.example')
    expect(statSync(at('map.json')).mode & 0o777).toBe(0o600)
    expect(stdout).not.toContain('ana@')
  })

  it('redacts a database down to its free pages', async () => {
    const db = openSqlite(at('some.db'))
    db.exec(
      'CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT UNIQUE, note TEXT, raw BLOB); CREATE TABLE gone (x)',
    )
    const add = db.prepare('INSERT INTO people VALUES (?, ?, ?, ?)')
    const notes = [
      'from 203.0.113.77',
      'Bearer canary.t0k',
      'id 6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
      'password=canary-word',
      '/home/canary/x',
    ]
    for (let id = 0; id < 500; id += 1)
      add.run(
        id,
        `canary${id}@mail.example`,
        `${notes[id % notes.length]}, key sk-proj-Ab3dEf6hIj9kLm2nOp${id}`,
        Buffer.from([id & 255, 255, 0, 1]),
      )
    for (let index = 0; index < 500; index += 1)
      db.prepare('INSERT INTO gone VALUES (?)').run(`free-canary${index}@mail.example`)
    db.exec('DELETE FROM gone; DELETE FROM people WHERE id > 400')
    db.close()
    expect(readFileSync(at('some.db')).includes('free-canary7@')).toBe(true)
    expect(await run('some.db', '--output', 'out-db')).toMatchObject({ code: 0 })
    const bytes = readFileSync(at('out-db', 'some.db'))
    const copy = openSqlite(at('out-db', 'some.db'), { readonly: true })

    expect(bytes.includes('canary')).toBe(false)
    for (const secret of ['sk-proj-', '203.0.113.77', '6f9619ff'])
      expect(bytes.includes(secret)).toBe(false)
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(copy.prepare('SELECT count(DISTINCT email) FROM people').pluck().get()).toBe(401)
    copy.close()
    expect(readdirSync(at('out-db'))).toEqual(['some.db'])
  })

  it('replaces what its own configuration leads to, wherever it stands', async () => {
    writeFileSync(at('key'), 'words of a key\n', { mode: 0o600 })
    writeFileSync(
      at('labels.json'),
      JSON.stringify({ clients: [{ apiName: 'team blue', label: 'Blue' }] }),
    )
    mkdirSync(at('auths'), { recursive: true })
    writeFileSync(
      at('auths', 'a.json'),
      JSON.stringify({ email: 'boss@corp', refresh_token: 'only letters in this token' }),
    )
    writeFileSync(
      at('notes.txt'),
      'words of a key, team blue, boss@corp, only letters in this token, and dGVhbSBibHVl\n',
    )
    await run(
      'notes.txt',
      '--output',
      'out-known',
      '--management-key-file',
      'key',
      '--client-labels-file',
      'labels.json',
      '--auth-dir',
      'auths',
    )

    expect(readFileSync(at('out-known', 'notes.txt'), 'utf8')).toMatch(
      /^secret-[0-9a-f]{12}, (secret-[0-9a-f]{12}), user-[0-9a-f]{12}@redacted\.invalid, secret-[0-9a-f]{12}, and \1\n$/,
    )
  })

  it.each([
    ['the store is configured', ['said', '--state-db', 'history.db']],
    ['a backup of it is in the same run', ['said', 'backup.json']],
  ])('hides clients and accounts in all that the service says, where %s', async (_, argv) => {
    const named = ['team blue', 'Ana of Lyon']
    const [apiName = '', title = ''] = named
    rmSync(at('history.db'), { force: true })
    rmSync(at('backup.json'), { force: true })
    const store = await openHistory(at('history.db'))
    const detail = {
      at: testInstant,
      key: 1n,
      accountKey: '4d7444d22bc687d2',
      apiName,
      model: 'gpt-5.5',
      tokens: 1,
      failed: false,
    }
    await store.usageOf(DEFAULT_UPSTREAM).record({
      receivedAt: testInstant,
      details: [detail],
      quarantined: [],
      saturatedCount: 0,
    })
    await store.close()
    const db = openSqlite(at('history.db'))
    db.prepare('UPDATE accounts SET title = ?').run(title)
    db.close()
    await runProgram([
      'export-history',
      '--state-db',
      at('history.db'),
      '--output',
      at('backup.json'),
    ])
    mkdirSync(at('said'), { recursive: true })
    const said = {
      'series.json': JSON.stringify({ series: [{ id: apiName, label: apiName, requests: 1 }] }),
      'series.csv': `timestamp,series_id,series_label,requests\r\n2026-03-10T12:00:00.000Z,${apiName},${apiName},1\r\n`,
      'status.json': JSON.stringify({
        tabs: { pool: { accounts: [{ title, summary: `${title} is active` }] } },
      }),
      'ranking.json': JSON.stringify({ items: [{ account: title, reasons: [`Use ${title}.`] }] }),
    }
    for (const [name, text] of Object.entries(said)) writeFileSync(at('said', name), text)
    const output = `out-said-${argv.length}`
    const { code } = await run(...argv, '--output', output)
    const copies = Object.keys(said).map((name) => readFileSync(at(output, 'said', name), 'utf8'))

    expect(code).toBe(0)
    expect(named.filter((name) => copies.join('\n').includes(name))).toEqual([])
  })

  it.each([
    {
      name: 'nothing to redact',
      argv: ['--output', 'x'],
      code: 2,
      message: /needs files or folders/,
    },
    { name: 'no place for the copies', argv: ['key'], code: 2, message: /--output/ },
    {
      name: 'an input that is not there',
      argv: ['gone.txt', '--output', 'x'],
      code: 1,
      message: /does not exist/,
    },
    {
      name: 'the folder of the original',
      argv: ['notes.txt', '--output', '.'],
      code: 1,
      message: /where the originals are/,
    },
    {
      name: 'a folder inside of the original',
      argv: ['in', '--output', 'in/copies'],
      code: 1,
      message: /where the originals are/,
    },
  ] as const)('refuses $name', async ({ argv, code, message }) => {
    const outcome = await run(...argv)

    expect(outcome).toMatchObject({ code, stdout: '' })
    expect(outcome.stderr).toMatch(message)
  })

  it.each([
    [
      'that others can write',
      (path: string) => [writeFileSync(path, 'words of a key\n'), chmodSync(path, 0o666)],
    ],
    [
      'of two lines',
      (path: string) => writeFileSync(path, 'words of a key\nsecond line of it\n', { mode: 0o600 }),
    ],
    [
      'with a name before the key',
      (path: string) => writeFileSync(path, 'MANAGEMENT_KEY="words of a key"\n', { mode: 0o600 }),
    ],
    [
      'in UTF-16',
      (path: string) =>
        writeFileSync(path, Buffer.from('\ufeffwords of a key\n', 'utf16le'), { mode: 0o600 }),
    ],
  ] as const)('hides the key of a file %s, which the service refuses', async (name, write) => {
    write(at(`key ${name}`))
    writeFileSync(at('tells.txt'), 'words of a key\n')
    const outcome = await run(
      'tells.txt',
      '--output',
      `out key ${name}`,
      '--management-key-file',
      `key ${name}`,
    )

    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(at(`out key ${name}`, 'tells.txt'), 'utf8')).toMatch(/^secret-\w{12}\n$/)
  })

  it('hides what a broken labels file names, labels included', async () => {
    writeFileSync(
      at('broken.json'),
      '{"clients": [{"apiName": "team blue", "label": "Ana Maria"},]',
    )
    writeFileSync(at('people.txt'), 'team blue is Ana Maria\n')
    const { code, stderr } = await run(
      'people.txt',
      '--output',
      'out-broken',
      '--client-labels-file',
      'broken.json',
    )

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/client_labels_file is not as it must be/),
    })
    expect(readFileSync(at('out-broken', 'people.txt'), 'utf8')).toMatch(
      /^secret-\w{12} is secret-\w{12}\n$/,
    )
  })

  it.each([
    ['--management-key-file', 'management_key_file'],
    ['--client-labels-file', 'client_labels_file'],
    ['--auth-dir', 'auth_dir'],
    ['--state-db', 'state_db'],
  ])('says that it could not read what %s names', async (flag, name) => {
    writeFileSync(at('quiet.txt'), 'all quiet\n')
    const { code, stderr } = await run('quiet.txt', '--output', `out-${name}`, flag, 'not-there')

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(`^svc-quota-monitor: ${name} cannot be read .*\\n$`),
      ),
    })
    expect(existsSync(at(`out-${name}`, 'quiet.txt'))).toBe(true)
  })

  it('says that secrets were too many to be looked for everywhere', async () => {
    mkdirSync(at('many'))
    writeFileSync(
      at('many', 'a.jsonl'),
      Array.from(
        { length: 36 },
        (_, index) => `{"password":"Early-${index} ${'words of it '.repeat(5_000)}"}\n`,
      ).join(''),
    )
    writeFileSync(at('many', 'b.json'), '{"api-keys":["Late-Two.8812"]}')
    const { code, stdout } = await run('many', '--output', 'out-many')

    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining('were NOT looked for elsewhere'),
    })
  })

  it('refuses a map where there is no folder, and prints no control characters of names', async () => {
    writeFileSync(at('a\u001b[31m\nb.txt'), 'quiet\n')

    expect(
      await run('quiet.txt', '--output', 'out-map', '--keep-map', 'no/map.json'),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be written (ENOENT)'),
    })
    expect((await run('a\u001b[31m\nb.txt', '--output', 'out-signs')).stdout.split('\n')[0]).toBe(
      'redacted  a\\u{1b}[31m\\u{a}b.txt',
    )
  })

  it('refuses what it cannot look through, and copies nothing of it', async () => {
    writeFileSync(at('image.bin'), Buffer.from([1, 2, 0, 255, 254]))
    writeFileSync(at('wide.txt'), Buffer.from('\ufeffana@mail.example', 'utf16le'))
    const { code, stdout } = await run('image.bin', 'wide.txt', '--output', 'out-bin')

    expect(code).toBe(1)
    expect(stdout).toMatch(/^refused {3}image\.bin: .*\nrefused {3}wide\.txt: /)
    expect(readdirSync(at('out-bin'))).toEqual([])
    expect((await run('notes.txt', '--output', 'out-known')).stdout).toContain('exists already')
  })

  it('leaves nothing under its name when it is interrupted', async () => {
    writeFileSync(at('large.log'), 'all quiet in the pool at this hour\n'.repeat(600_000))
    const child = spawn(process.execPath, [
      program,
      'redact',
      '--config',
      'off',
      at('large.log'),
      '--output',
      at('out-stop'),
    ])
    let stderr = ''
    child.stderr.on('data', (bytes) => {
      stderr += String(bytes)
    })
    while (!existsSync(at('out-stop', 'large.log.unfinished')))
      await new Promise((resolve) => setTimeout(resolve, 5))
    child.kill('SIGINT')
    const [code] = (await once(child, 'exit')) as [number]

    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('stopped') })
    expect(readdirSync(at('out-stop'))).toEqual([])
  })
})
