import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { openFile } from '../sqlite/sqlite.ts'
import { connectTo } from '../testing/connect-to.ts'
import { freshDatabase } from '../testing/fresh-database.ts'
import { freshSchemas } from '../testing/fresh-schemas.ts'
import { ownDatabases } from '../testing/own-databases.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'

const home = fileURLToPath(new URL('../..', import.meta.url))
const drizzleKit = join(dirname(createRequire(import.meta.url).resolve('drizzle-kit')), 'bin.cjs')
const folder = mkdtempSync(join(tmpdir(), 'svc-tables-'))
const schemas = freshSchemas()
const databases = ownDatabases()
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await schemas.remove()
  await databases.remove()
})

type Engine = 'sqlite' | 'postgres'
const dialects = { sqlite: 'sqlite', postgres: 'postgresql' } as const

/** Statements that drizzle-kit would make from the snapshot in a folder to the declared tables. */
function generate(out: string, engine: Engine): string {
  // It takes paths relative to where it runs.
  const [schema, into] = [`./src/schema/${engine}.ts`, relative(home, out)]
  const args = ['--dialect', dialects[engine], '--schema', schema, '--out', into]
  return execFileSync(process.execPath, [drizzleKit, 'generate', ...args], {
    cwd: home,
    encoding: 'utf8',
  })
}

/** Statements that make the declared tables in an empty store. */
function statementsFor(engine: Engine): readonly string[] {
  const out = join(folder, engine)
  generate(out, engine)
  const [name = ''] = readdirSync(out).filter((file) => file.endsWith('.sql'))
  return readFileSync(join(out, name), 'utf8').split('--> statement-breakpoint')
}

describe.each(['sqlite', 'postgres'] as const)('declared tables of %s', (engine) => {
  it('are those of the snapshot that the next migration starts from', () => {
    const out = join(folder, `${engine}-now`)
    cpSync(join(home, 'drizzle', engine), out, { recursive: true })

    expect(generate(out, engine)).toContain('No schema changes')
  })
})

it('the migrations of a file make the declared tables', () => {
  const declared = openFile(':memory:')
  const migrated = freshDatabase()
  for (const statement of statementsFor('sqlite')) declared.exec(statement)
  const shapeOf = (db: typeof declared) => {
    const rows = (sql: string) => db.prepare(sql).raw().all() as unknown[][]
    return rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").map(
      ([table]) => [
        table,
        // Of a key that is also the number of the row, only the declaration says that it is never null.
        rows(
          `SELECT name, type, "notnull" OR pk, lower(dflt_value), pk FROM pragma_table_info('${table}')`,
        ),
        rows(`SELECT "table", "from", "to" FROM pragma_foreign_key_list('${table}')`).sort(),
        rows(
          `SELECT name FROM pragma_index_list('${table}') WHERE "unique" AND origin <> 'pk'`,
        ).map(([index]) => rows(`SELECT name FROM pragma_index_info('${index}')`)),
      ],
    )
  }
  try {
    expect(shapeOf(migrated.db)).toEqual(shapeOf(declared))
  } finally {
    declared.close()
    migrated.remove()
  }
})

it('the migrations of a database make the declared tables', async (context) => {
  const why = whyNoPostgres()
  if (why !== null) return context.skip(why)
  const declared = await connectTo(await databases.nextAddress())
  const migrated = await schemas.next()
  for (const statement of statementsFor('postgres')) await declared.run(statement)
  const shapeOf = async (session: typeof declared) => [
    await session.rows(
      `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
       WHERE table_schema = 'svc_quota_monitor' ORDER BY table_name, column_name`,
    ),
    await session.rows(
      `SELECT conrelid::regclass::text AS "table", pg_get_constraintdef(oid) AS is FROM pg_constraint
       WHERE connamespace = 'svc_quota_monitor'::regnamespace AND contype IN ('p', 'u', 'f', 'c') ORDER BY 1, 2`,
    ),
  ]
  try {
    expect(await shapeOf(migrated.session)).toEqual(await shapeOf(declared))
  } finally {
    await declared.close()
  }
})
