import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { bytesOf } from '../byte-text.ts'
import { createCollectedValues } from '../collect/collected-values.ts'
import { openSqlite } from '../database/sqlite.ts'
import { type RedactOptions, redactFiles } from '../run/redact-run.ts'
import { containers, secretNames } from '../testing/containers.ts'
import { encoders } from '../testing/encoders.ts'
import { createRandom } from '../testing/random.ts'
import { passwords, tokens } from '../testing/secrets.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-verify-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let run = 0
beforeEach(() => {
  run += 1
  mkdirSync(join(folder, `in${run}`))
})
const input = (name = '') => join(folder, `in${run}`, name)
const output = (name = '') => join(folder, `out${run}`, name)

/** Writes copies as they are: the first stage is switched off. */
const copying: RedactOptions['rewrite'] = async ({ path }, target) => copyFileSync(path, target)

async function checked(configured: readonly string[] = []) {
  const collected = createCollectedValues()
  for (const value of configured) collected.addConfigured(bytesOf(value), 'secret')
  const { entries } = await redactFiles({
    inputs: [input()],
    output: output(),
    collected,
    keepMap: false,
    stop: new AbortController().signal,
    rewrite: copying,
  })
  return entries
}

describe('the check alone', () => {
  it('refuses every file with a secret, in every container and spelling', async () => {
    const random = createRandom(7)
    const configured: string[] = []
    const expected = new Set<string>()
    for (const [index, [, { file, write, takes }]] of Object.entries(containers).entries()) {
      const secret = Object.values(passwords)
        .map((make) => make(random))
        .find((value) => takes?.(value) ?? true)
      if (secret === undefined) continue
      writeFileSync(input(`container-${index}.${file}`), write(random.pick(secretNames), secret))
      expected.add(`container-${index}.${file}`)
    }
    for (const [index, encode] of Object.values(encoders).entries()) {
      const secret = random.pick(Object.values(passwords))(random)
      configured.push(secret)
      writeFileSync(input(`encoder-${index}.log`), `before ${encode(secret)} after\n`)
      expected.add(`encoder-${index}.log`)
    }
    for (const [index, make] of Object.values(tokens).entries()) {
      writeFileSync(input(`token-${index}.log`), `found ${make(random)} here\n`)
      expected.add(`token-${index}.log`)
    }
    writeFileSync(input('clean.log'), 'all quiet\n')
    const entries = await checked(configured)
    const redacted = entries.flatMap(({ status, file }) =>
      status === 'redacted' ? [file.replace(/^in\d+\//, '')] : [],
    )

    expect(redacted).toEqual(['clean.log'])
    expect(entries).toHaveLength(expected.size + 1)
    expect(
      readdirSync(output(), { recursive: true }).filter((name) => String(name).includes('.')),
    ).toEqual([`in${run}/clean.log`])
  })

  it('names the file and the place, never the value', async () => {
    writeFileSync(input('a.log'), `${'x'.repeat(99)} plain words of a key\n`)
    const [entry] = await checked(['plain words of a key'])

    expect(entry).toEqual({
      status: 'refused',
      file: `in${run}/a.log`,
      why: 'still held something known at byte 100 after it was redacted; no copy is left',
    })
    expect(existsSync(output(`in${run}/a.log`))).toBe(false)
  })

  it.each([0, 10, 96 * 1024, 1024 * 1024 - 5, 1024 * 1024 + 3, 3_000_000])(
    'sees what begins at byte %i, and what ends with the file',
    async (offset) => {
      const filler = 'all quiet in the pool at this hour\n'
      const before = filler.repeat(Math.ceil(offset / filler.length)).slice(0, offset)
      writeFileSync(input('begin.log'), `${before}words of a key\nrest\n`)
      writeFileSync(input('end.log'), `${before} words of a key`)

      expect((await checked(['words of a key'])).map(({ status }) => status)).toEqual([
        'refused',
        'refused',
      ])
    },
  )

  it('reads databases: pages, cells over several pages, numbers and names', async () => {
    const cases = {
      pages: (db: ReturnType<typeof openSqlite>) =>
        db.exec("CREATE TABLE t (a); INSERT INTO t VALUES ('x words of a key y'); DELETE FROM t"),
      long: (db: ReturnType<typeof openSqlite>) =>
        db
          .prepare('INSERT INTO t VALUES (?)')
          .run(`${'y'.repeat(4060)} words of a key ${'z'.repeat(9000)}`),
      number: (db: ReturnType<typeof openSqlite>) => db.exec('INSERT INTO t VALUES (483920571)'),
      name: (db: ReturnType<typeof openSqlite>) => db.exec('CREATE TABLE "words of a key" (a)'),
    }
    for (const [name, fill] of Object.entries(cases)) {
      const db = openSqlite(input(`${name}.db`), {})
      db.pragma('secure_delete = OFF')
      if (name !== 'pages') db.exec('CREATE TABLE t (a)')
      fill(db)
      db.close()
    }

    expect(
      (await checked(['words of a key', '483920571'])).map(
        ({ status, file }) => `${file.split('/')[1]} ${status}`,
      ),
    ).toEqual(['long.db refused', 'name.db refused', 'number.db refused', 'pages.db refused'])
  })
})
