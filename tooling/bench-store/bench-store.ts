import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Finding, isMet, tableOf } from '../bench/goals.ts'
import { machine } from '../bench/machine.ts'
import { pinned } from '../service/node-process.ts'
import { top } from '../top.ts'
import { measureBacklog } from './backlog.ts'
import { measureCourses } from './courses.ts'
import { measureForgetting } from './forgetting.ts'
import { measureIngest } from './ingest.ts'
import { benchPostgres } from './postgres/bench-postgres.ts'
import { measureSeries } from './series.ts'
import { measureService, measureStoreStart } from './service.ts'
import { measureSustainedFile } from './sustained.ts'
import { measureTree } from './tree.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    rows: { type: 'string' },
    only: { type: 'string' },
    tree: { type: 'boolean', default: false },
    backlog: { type: 'boolean', default: false },
    courses: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
    kept: { type: 'string' },
    json: { type: 'string', default: join(top, 'bench-store-results.json') },
  },
})

const parts: Readonly<
  Record<string, (rows: number) => readonly Finding[] | Promise<readonly Finding[]>>
> = {
  ingest: measureIngest,
  series: measureSeries,
  start: measureStoreStart,
  forgetting: measureForgetting,
  service: measureService,
}

const ALL_CORES = `0-${cpus().length - 1}`
const findings: Finding[] = []
const done = (found: readonly Finding[]) => {
  console.log(`\n${tableOf(found)}`)
  findings.push(...found)
}
const listed = (list: string) => list.split(',').filter((one) => one !== '')
const seconds = Number(values.seconds)

if (values.engine === 'postgres') {
  const { rows = '1000000', only = 'ingest,series,size,forgetting' } = values
  const { kept = null } = values
  await benchPostgres({ rows: listed(rows).map(Number), only: listed(only), seconds, kept }, done)
} else await benchSqlite()

async function benchSqlite(): Promise<void> {
  const { rows = '1000000,10000000', only = 'ingest,series,start,forgetting,service' } = values
  for (const count of listed(rows).map(Number)) {
    for (const name of listed(only)) {
      const measure = parts[name]
      if (measure === undefined) throw new Error(`--only takes ${Object.keys(parts).join(', ')}`)
      // What runs in this process has a core of its own; the service and the commands may use all there are.
      if (pinned)
        spawnSync('taskset', [
          '-pc',
          name === 'service' || name === 'start' || name === 'forgetting' ? ALL_CORES : '1',
          String(process.pid),
        ])
      done(await measure(count))
    }
  }
  if (values.tree) done(await measureTree())
  if (values.courses) done(await measureCourses())
  if (values.backlog) done(await measureBacklog())
  if (seconds > 0) done(await measureSustainedFile(seconds))
}

const missed = findings.filter((finding) => !isMet(finding))
console.log(
  missed.length === 0
    ? '\nEvery goal is met.'
    : `\nMissed: ${missed.map(({ id, what }) => `${id} ${what}`).join('; ')}`,
)
writeFileSync(values.json, JSON.stringify({ machine: machine(), findings }, null, 2))
