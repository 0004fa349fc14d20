import { execFileSync } from 'node:child_process'
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
import { openSqlite } from '@svc/sqlite'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { redactFolder } from '../testing/redact-folder.ts'
import type { RedactOptions } from './redact-run.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let folders = 0
beforeEach(() => {
  folders += 1
  mkdirSync(join(folder, `in${folders}`))
})
const input = (name = '') => join(folder, `in${folders}`, name)
const output = (name = '') => join(folder, `out${folders}`, `in${folders}`, name)

const run = (changes: Partial<RedactOptions> = {}) =>
  redactFolder({ inputs: [input()], output: join(folder, `out${folders}`), ...changes })
async function redacted(changes: Partial<RedactOptions> = {}) {
  const { entries } = await run(changes)
  return entries.map(
    (entry) =>
      `${entry.file.split('/').at(-1)} ${entry.status === 'redacted' ? entry.kind : `${entry.status}: ${entry.why}`}`,
  )
}

describe('what is read', () => {
  it('is regular files alone: pipes, devices and files of the system are refused at once', async () => {
    writeFileSync(input('a.log'), 'quiet\n')
    execFileSync('mkfifo', [input('pipe.log')])
    const entries = await redacted({
      inputs: [input('a.log'), input('pipe.log'), '/dev/zero', '/proc/self/environ'],
    })

    expect(entries).toEqual([
      'a.log text',
      'pipe.log refused: is not a regular file',
      'zero refused: is not a regular file',
      'environ refused: has no size: it is made by the system while it is read',
    ])
  })

  it('is everything that can be read: a name that is no text and a folder that is closed are refused alone', async () => {
    writeFileSync(input('a.log'), 'quiet\n')
    writeFileSync(Buffer.concat([Buffer.from(input()), Buffer.from([0x2f, 0xff, 0x2e, 0x6c])]), 'x')
    expect(await redacted()).toEqual([
      'a.log text',
      expect.stringMatching(/^hidden-\w{12} refused: has a name that is not valid UTF-8$/),
    ])
    if (process.getuid?.() === 0) return
    mkdirSync(input('closed'), { mode: 0 })
    expect((await redacted({ output: join(folder, `out-c${folders}`) }))[1]).toBe(
      'closed refused: cannot be read (EACCES)',
    )
  })

  it('is a database with a write-ahead log, beside which nothing is left', async () => {
    const db = openSqlite(input('b.db'), {})
    db.pragma('journal_mode = WAL')
    db.exec("CREATE TABLE t (password); INSERT INTO t VALUES ('Maple.1565pep')")
    db.close()
    chmodSync(input(), 0o500)
    try {
      expect(await redacted({ temporaryFolder: tmpdir() })).toEqual(['b.db sqlite'])
    } finally {
      chmodSync(input(), 0o700)
    }

    expect(readdirSync(input())).toEqual(['b.db'])
  })

  it('is not what is linked inside of a folder, and what was named by a link', async () => {
    writeFileSync(join(folder, `elsewhere${folders}.log`), 'mail ana@mail.example\n')
    symlinkSync(join(folder, `elsewhere${folders}.log`), input('link.log'))
    expect(await redacted()).toEqual(['link.log skipped: is a link'])
    expect(
      await redacted({ inputs: [input('link.log')], output: join(folder, `out-b${folders}`) }),
    ).toEqual([`link.log text`])
  })

  it('is text and databases: binary files and UTF-16 are refused, also where they begin late', async () => {
    writeFileSync(input('image.bin'), Buffer.from([1, 2, 0, 255, 254]))
    writeFileSync(
      input('late.log'),
      Buffer.concat([
        Buffer.from('quiet\n'.repeat(50_000)),
        Buffer.from('token ana@mail.example', 'utf16le'),
      ]),
    )
    writeFileSync(input('wide.txt'), Buffer.from('\ufeffana@mail.example', 'utf16le'))

    expect((await redacted()).map((entry) => entry.split(':')[0])).toEqual([
      'image.bin refused',
      'late.log refused',
      'wide.txt refused',
    ])
    expect(
      readdirSync(join(folder, `out${folders}`), { recursive: true }).filter((name) =>
        String(name).includes('.'),
      ),
    ).toEqual([])
  })
})

describe('what is written', () => {
  it('is open to its owner alone, databases as well', async () => {
    const umask = process.umask(0)
    try {
      writeFileSync(input('a.log'), 'quiet\n')
      const db = openSqlite(input('b.db'), {})
      db.exec('CREATE TABLE t (a)')
      db.close()
      chmodSync(input('b.db'), 0o644)
      await redacted()
    } finally {
      process.umask(umask)
    }

    for (const name of ['a.log', 'b.db']) expect(statSync(output(name)).mode & 0o777).toBe(0o600)
    expect(statSync(output()).mode & 0o777).toBe(0o700)
  })

  it('has names without addresses, which still say plan and kind', async () => {
    writeFileSync(input('codex-1a2b3c4d-ana@mail.example-plus.json'), '{"a":1}')
    await redacted()

    expect(readdirSync(output())[0]).toMatch(
      /^codex-hidden-[0-9a-f]{12}-user-[0-9a-f]{12}@redacted\.invalid-plus\.json$/,
    )
  })

  it('keeps the endings of names', async () => {
    writeFileSync(input('192.168.7.9.log'), 'quiet\n')
    writeFileSync(input('token=Kelp-9182xx.txt'), 'quiet\n')
    await redacted()

    expect(readdirSync(output()).sort()).toEqual([
      expect.stringMatching(/^hidden-[0-9a-f]{12}\.log$/),
      expect.stringMatching(/^token=secret-[0-9a-f]{12}\.txt$/),
    ])
  })

  it('is never in the place of the originals, nor over a copy', async () => {
    writeFileSync(input('a.log'), 'quiet\n')

    await expect(redacted({ output: input('copies') })).rejects.toThrow('where the originals are')
    await redacted()
    expect(await redacted()).toEqual(['a.log refused: a copy of that name exists already'])
  })

  it('does not change when it is redacted again', async () => {
    writeFileSync(
      input('a.json'),
      '{"password":"hunter2 x","n":{"token":12345678},"mail":"ana@mail.example"}',
    )
    writeFileSync(
      input('b.log'),
      'token=abcdefgh1 from 203.0.113.7 at /home/ana and 6f9619ff-8b86-4d01-b42d-00cf4fc964ff\n',
    )
    await redacted()
    await run({
      inputs: [join(folder, `out${folders}`)],
      output: join(folder, `again${folders}`),
    })

    for (const name of ['a.json', 'b.log']) {
      expect(
        readFileSync(
          join(folder, `again${folders}`, `out${folders}`, `in${folders}`, name),
          'utf8',
        ),
      ).toBe(readFileSync(output(name), 'utf8'))
    }
  })

  it('is gone when the work is stopped', async () => {
    writeFileSync(input('large.log'), 'token=abcdefgh1 and more\n'.repeat(100_000))
    const stop = new AbortController()
    const work = redacted({
      stop: stop.signal,
      onProgress: ({ step }) => step === 'written' && stop.abort(),
    })

    await expect(work).rejects.toThrow()
    expect(existsSync(output()) ? readdirSync(output()) : []).toEqual([])
  })
})

it('a secret that one file names is hidden in every file of the run', async () => {
  writeFileSync(input('z-names.yaml'), 'password: "correct horse 77"\n')
  writeFileSync(
    input('a-tells.log'),
    `said correct horse 77, ${encodeURIComponent('correct horse 77')} and ${Buffer.from('x correct horse 77').toString('base64')}\n`,
  )
  await redacted()

  expect(readFileSync(output('a-tells.log'), 'utf8')).toMatch(
    /^said (secret-\w{12}), \1 and \1=*\n$/,
  )
})

describe('the outcome of a run', () => {
  it('says how many values were known, and how often each kind was replaced', async () => {
    writeFileSync(input('a.env'), 'password=Kelp-9182xx\n')
    writeFileSync(input('b.log'), 'Kelp-9182xx from 203.0.113.7\n')
    const { knownValues, leftOut, pseudonyms } = await run()

    expect(knownValues).toBe(1)
    expect(leftOut).toBe(0)
    expect(pseudonyms.counts()).toEqual({ secret: 2, hidden: 1 })
    expect(pseudonyms.map().size).toBe(0)
  })

  it('has the map of pseudonyms where that is asked for', async () => {
    writeFileSync(input('a.env'), 'password=Kelp-9182xx\n')
    const { pseudonyms } = await run({ keepMap: true })

    expect([...pseudonyms.map().values()]).toEqual(['Kelp-9182xx'])
  })

  it('tells each step: every byte of a text is read, what was found prepared, every byte written and checked', async () => {
    writeFileSync(input('a.log'), 'all quiet\n'.repeat(60_000))
    const sums: Record<string, number> = {}
    await run({
      onProgress(progress) {
        const bytes = progress.step === 'preparing' ? 0 : progress.bytes
        sums[progress.step] = (sums[progress.step] ?? 0) + bytes
      },
    })

    expect(Object.entries(sums)).toEqual([
      ['read', 600_000],
      ['preparing', 0],
      ['written', 600_000],
      ['checked', 600_000],
    ])
  })

  it('has no copy of a file whose rewriting failed, and one of every other', async () => {
    for (const name of ['a.log', 'b.log']) writeFileSync(input(name), 'quiet\n')
    const { entries } = await run({
      rewrite: async (path, target) => {
        writeFileSync(target, 'quiet\n')
        if (path.endsWith('a.log')) throw Object.assign(new Error('Kelp'), { code: 'ENOSPC' })
      },
    })

    expect(entries).toEqual([
      {
        status: 'refused',
        file: `in${folders}/a.log`,
        why: 'cannot be read or written (ENOSPC)',
      },
      { status: 'redacted', file: `in${folders}/b.log`, kind: 'text' },
    ])
    expect(readdirSync(join(folder, `out${folders}`, `in${folders}`))).toEqual(['b.log'])
  })

  it('writes over what an earlier run left unfinished', async () => {
    writeFileSync(input('a.log'), 'quiet\n')
    mkdirSync(join(folder, `out${folders}`, `in${folders}`), { recursive: true })
    writeFileSync(output('a.log.unfinished'), 'password=Kelp-9182xx')

    expect((await run()).entries.map(({ status }) => status)).toEqual(['redacted'])
    expect(readdirSync(join(folder, `out${folders}`, `in${folders}`))).toEqual(['a.log'])
  })

  it('passes over the log of a database, whose rows are in the copy', async () => {
    const db = openSqlite(input('b.db'), {})
    db.pragma('journal_mode = WAL')
    db.exec("CREATE TABLE t (x); INSERT INTO t VALUES ('quiet')")
    try {
      expect(
        (await run()).entries.map((entry) => [entry.file.split('/')[1], entry.status]),
      ).toEqual([
        ['b.db', 'redacted'],
        ['b.db-shm', 'skipped'],
        ['b.db-wal', 'skipped'],
      ])
    } finally {
      db.close()
    }
    const copy = openSqlite(output('b.db'), { readonly: true })

    expect(copy.prepare('SELECT x FROM t').pluck().all()).toEqual(['quiet'])
    copy.close()
  })
})
