import { execFileSync } from 'node:child_process'
import { linkSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { openHistory } from '@svc/history'
import { openSqlite } from '@svc/sqlite'
import { aService } from './listener-set-ups.ts'
import { row, type SetUp, type SetUpRow, SOUND, type World } from './world.ts'

const at = (path: string): SetUp => ({ argv: ['--state-db', path] })
const found = (code: string) => `fail state_db ${code}`

async function aStore({ at: pathOf }: World, name = 'history.db'): Promise<string> {
  await (await openHistory(pathOf(name))).close()
  return pathOf(name)
}

/** Changes the file as another program would. */
function changed(path: string, sql: string): string {
  const db = openSqlite(path)
  db.exec(sql)
  db.close()
  return path
}

async function held(world: World): Promise<string> {
  const path = await aStore(world)
  const store = await openHistory(path)
  world.finally(() => store.close())
  return path
}

export const storeSetUps: readonly SetUpRow[] = [
  row('a store that is there', SOUND, async (world) => at(await aStore(world))),
  row('a store that is yet to be made', SOUND, at('new.db')),
  row('a store that is switched off', SOUND, at('off')),
  row('a store of no bytes', SOUND, (world) => at(world.file('empty.db', ''))),
  row('a store by a link', SOUND, async (world) => {
    await aStore(world, 'real.db')
    return at(world.link('history.db', 'real.db'))
  }),
  row('a store that the running service holds', SOUND, async (world) => ({
    ...at(await held(world)),
    port: await aService(world, {}),
  })),
  row(
    'a store that is held while something listens that does not answer',
    'fail bind not_answering',
    async (world) => ({
      ...at(await held(world)),
      port: await world.listen(createServer()),
    }),
  ),
  row('a store that another service holds', found('locked'), async (world) =>
    at(await held(world)),
  ),
  row('a store that another program keeps locked', found('busy'), async (world) => {
    const path = await aStore(world)
    const db = openSqlite(path)
    db.exec('BEGIN EXCLUSIVE')
    world.finally(() => db.close())
    return at(path)
  }),
  row('a store of a newer version', found('newer_version'), async (world) =>
    at(changed(await aStore(world), 'PRAGMA user_version = 999')),
  ),
  row('a database of another program', found('not_ours'), (world) =>
    at(changed(world.at('other.db'), 'CREATE TABLE t (x)')),
  ),
  row('a store with a second hard link', found('several_names'), async (world) => {
    linkSync(await aStore(world), world.at('copy.db'))
    return at(world.at('history.db'))
  }),
  row(
    'a store by a link to a file with a second hard link',
    found('several_names'),
    async (world) => {
      linkSync(await aStore(world, 'real.db'), world.at('copy.db'))
      return at(world.link('history.db', 'real.db'))
    },
  ),
  row('a store of no bytes with a second hard link', found('several_names'), (world) => {
    linkSync(world.file('empty.db', ''), world.at('copy.db'))
    return at(world.at('empty.db'))
  }),
  row('a store whose lock is a folder', found('cannot_open'), async (world) => {
    world.folder('new.db.lock')
    return at(world.at('new.db'))
  }),
  row('a store in no folder', found('cannot_open'), at('gone/history.db')),
  row('a folder as store', found('cannot_open'), (world) => at(world.folder('history.db'))),
  row('a pipe as store', found('cannot_open'), (world) => {
    execFileSync('mkfifo', [world.at('history.db')])
    return at(world.at('history.db'))
  }),
  row('a text as store', found('not_a_database'), (world) =>
    at(world.file('history.db', 'no database'.repeat(500))),
  ),
  row('a store that was cut off', found('corrupt'), async (world) => {
    const path = await aStore(world)
    truncateSync(path, 4096)
    return at(path)
  }),
  row('a store with a page overwritten', found('corrupt'), async (world) => {
    const path = await aStore(world)
    const bytes = readFileSync(path)
    bytes.fill(0xff, 8192, 12_288)
    writeFileSync(path, bytes)
    return at(path)
  }),
  row('a link to a store that is not there', 'warn state_db dangling_link', (world) =>
    at(world.link('history.db', 'gone.db')),
  ),
  row('a link to a disk that is not mounted', found('dangling_link'), (world) =>
    at(world.link('history.db', 'gone/history.db')),
  ),
  row(
    'a store that does not get rid of old requests',
    'warn state_db.outgrown outgrown',
    async (world) =>
      at(
        changed(
          await aStore(world),
          'PRAGMA foreign_keys = OFF; INSERT INTO usage (at_ms, key, account_id, api_name_id, model_id, tokens, failed, upstream_id) VALUES (981158400000, 1, 1, 1, 1, 1, 0, 1)',
        ),
      ),
  ),
  row('a store that others can read', 'warn state_db readable_by_others', async (world) => {
    const path = await aStore(world)
    return at(world.file('history.db', readFileSync(path), 0o644))
  }),
]
