import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Finding, reportFindings, tableOf } from '../bench/goals.ts'
import { pinned } from '../service/node-process.ts'
import { top } from '../top.ts'
import type { Engine } from './engine.ts'
import { measureIngest } from './ingest.ts'
import { startPostgresEngine } from './postgres.ts'
import { measureCourses, measureMetrics, measureSeries, measureSize } from './reads.ts'
import { sqliteEngine } from './sqlite.ts'
import { measureBacklog, measureSustained } from './sustained.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    rows: { type: 'string' },
    only: { type: 'string' },
    backlog: { type: 'boolean', default: false },
    courses: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
    kept: { type: 'string' },
    json: { type: 'string', default: join(top, 'bench-store-results.json') },
  },
})

const ALL_CORES = `0-${cpus().length - 1}`
const findings: Finding[] = []
const done = (found: readonly Finding[]) => {
  console.log(`\n${tableOf(found)}`)
  findings.push(...found)
}
const listed = (list: string) => list.split(',').filter((one) => one !== '')
const seconds = Number(values.seconds)
const isPostgres = values.engine === 'postgres'
const engine = isPostgres ? await startPostgresEngine(values.kept ?? null) : sqliteEngine
/** Benches that run in this process. */
const own: Engine['parts'] = {
  ingest: () => measureIngest(engine),
  series: (rows) => measureSeries(engine, rows),
  metrics: (rows) => measureMetrics(engine, rows),
  size: (rows) => measureSize(engine, rows),
}
const parts = { ...own, ...engine.parts }
try {
  const only = listed(values.only ?? Object.keys(parts).join(','))
  for (const [index, rows] of listed(values.rows ?? engine.rows)
    .map(Number)
    .entries()) {
    for (const name of only) {
      const measure = parts[name]
      if (measure === undefined) throw new Error(`--only takes ${Object.keys(parts).join(', ')}`)
      // It meets no world.
      if (name === 'ingest' && index > 0) continue
      // SQLite has a core of its own in this process; a server, the service and the commands may use all there are.
      const cores = name in own && !isPostgres ? '1' : ALL_CORES
      if (pinned) spawnSync('taskset', ['-pc', cores, String(process.pid)])
      done(await measure(rows))
    }
  }
  if (values.courses) done(await measureCourses())
  if (values.backlog) done(await measureBacklog(engine))
  if (seconds > 0) done(await measureSustained(engine, seconds))
} finally {
  await engine.close()
}
reportFindings(findings, values.json)
