import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chosenParts, reportFindings } from '../bench/goals.ts'
import { pinned } from '../service/node-process.ts'
import { top } from '../top.ts'
import { measureMetrics, measureQuestions, measureSeries, measureSize } from './charts.ts'
import { measurePostgresForgetting, measureSqliteForgetting } from './forgetting.ts'
import { measureIngest } from './ingest.ts'
import { startPostgresEngine } from './postgres.ts'
import { measureService, measureStoreStart } from './service.ts'
import { sqliteEngine } from './sqlite.ts'
import { measureBacklog, measureSustained } from './sustained.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    rows: { type: 'string' },
    only: { type: 'string' },
    backlog: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
    kept: { type: 'string' },
    json: { type: 'string', default: join(top, 'bench-store-results.json') },
  },
})

const seconds = Number(values.seconds)
const isPostgres = values.engine === 'postgres'
const engine = isPostgres ? await startPostgresEngine(values.kept ?? null) : sqliteEngine
/** Benches that run in this process. */
const own = {
  ingest: () => measureIngest(engine),
  series: (rows: number) => measureSeries(engine, rows),
  metrics: (rows: number) => measureMetrics(engine, rows),
  questions: (rows: number) => measureQuestions(engine, rows),
  size: (rows: number) => measureSize(engine, rows),
}
const parts = {
  ...own,
  ...(isPostgres
    ? { forgetting: (rows: number) => measurePostgresForgetting(engine, rows) }
    : { start: measureStoreStart, forgetting: measureSqliteForgetting, service: measureService }),
}

async function* measured() {
  const sizes = (values.rows ?? (isPostgres ? '1000000' : '1000000,10000000')).split(',')
  for (const [index, rows] of sizes.map(Number).entries())
    for (const [name, measure] of chosenParts(values.only ?? Object.keys(parts).join(','), parts)) {
      // It meets no world.
      if (name === 'ingest' && index > 0) continue
      // SQLite has a core of its own in this process; a server, the service and the commands may use all there are.
      const cores = name in own && !isPostgres ? '1' : `0-${cpus().length - 1}`
      if (pinned) spawnSync('taskset', ['-pc', cores, String(process.pid)])
      yield await measure(rows)
    }
  if (values.backlog) yield await measureBacklog(engine)
  if (seconds > 0) yield await measureSustained(engine, seconds)
}

try {
  await reportFindings(measured(), values.json)
} finally {
  await engine.close()
}
