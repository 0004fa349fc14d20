import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A figure about the shape of the code, with its goal. */
export interface Figure {
  readonly what: string
  readonly measured: number
  /** Null if the figure is only shown. */
  readonly atMost: number | null
  /** Files or names that make up the figure; empty for lines. */
  readonly places: readonly string[]
}

interface Source {
  /** Relative to the top, with forward slashes. */
  readonly path: string
  readonly text: string
  /** Lines without blanks and comments. */
  readonly lines: number
}

const GROUPS = ['packages', 'apps', 'tooling', 'integrations', 'tests']
const SOURCE = /\.(?:ts|tsx|mjs|cjs|css|rs)$/
const NOT_OURS = /(?:^|\/)(?:node_modules|dist)\/|^integrations\/.*\/target\//
const TEST = /^tests\/|\.test\.(?:ts|tsx|mjs)$|\/testing\/|\/tests\//
const EXPORTED =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:const|function\*?|class|type|interface|enum) (\w+)/gm
/** A function on a path through the code, called by its name from a step before it. */
interface Step {
  readonly file: string
  readonly name: string
  /** Whether the file passes on any call, whatever its name. Such a file is shown but not counted. */
  readonly isCarrier?: true
}

const MONITOR = 'packages/monitor/src'
/** One `GET /api/v1/stats/windows` on its way through server and monitor. */
const HISTORY_ROUTE: readonly Step[] = [
  { file: 'apps/server/src/http/app.ts', name: 'createApp' },
  { file: `${MONITOR}/pipeline/pipeline-client.ts`, name: 'fromHistory', isCarrier: true },
  { file: `${MONITOR}/threads/channel.ts`, name: 'forwarded', isCarrier: true },
  { file: `${MONITOR}/pipeline/compose-pipeline.ts`, name: 'composePipeline', isCarrier: true },
  { file: `${MONITOR}/evaluation/history-answers.ts`, name: 'cycles' },
  { file: `${MONITOR}/store/store-reader.ts`, name: 'cycles' },
  { file: `${MONITOR}/store/reader-thread.ts`, name: 'cycles' },
  { file: `${MONITOR}/answers/encode-json.ts`, name: 'encodeJson', isCarrier: true },
  { file: 'apps/server/src/routes/ready-bytes.ts', name: 'readyBytes' },
]
/** One usage record on its way from the poll of the queue to the commit in a file. */
const USAGE_RECORD: readonly Step[] = [
  { file: 'packages/collector/src/usage/queue-poll.ts', name: 'createQueuePoll' },
  { file: 'packages/collector/src/proxy/upstream-client.ts', name: 'take', isCarrier: true },
  { file: `${MONITOR}/store/usage-feeds.ts`, name: 'storeQueue' },
  { file: `${MONITOR}/store/store-writer.ts`, name: 'call', isCarrier: true },
  { file: `${MONITOR}/threads/channel.ts`, name: 'call', isCarrier: true },
  { file: 'packages/history/src/sql/connection.ts', name: 'queued', isCarrier: true },
  { file: `${MONITOR}/store/ingest.ts`, name: 'storeQueue' },
  { file: 'packages/collector/src/usage/usage-decoder.ts', name: 'decodeQueue' },
  { file: 'packages/history/src/sql/usage-store.ts', name: 'record' },
  { file: 'packages/history/src/sql/usage-rows.ts', name: 'addBatch' },
  { file: 'packages/history/src/sqlite/usage-rows.ts', name: 'insert' },
]

/** Measures the tree below `top`. */
export function shapeOf(top: string): readonly Figure[] {
  const all = GROUPS.flatMap((group) => sourcesBelow(top, group))
  const tests = all.filter(({ path }) => TEST.test(path))
  const code = all.filter(({ path }) => !TEST.test(path))
  const below = (...folders: readonly string[]) =>
    code.filter(({ path }) => folders.some((folder) => path.startsWith(`${folder}/`)))
  const product = below('packages', 'apps').filter(({ path }) => /\.tsx?$/.test(path))
  const lines = (what: string, sources: readonly Source[], atMost: number): Figure => ({
    what: `lines of ${what}`,
    measured: sources.reduce((sum, source) => sum + source.lines, 0),
    atMost,
    places: [],
  })
  const counted = (what: string, places: readonly string[], atMost: number): Figure => ({
    what,
    measured: places.length,
    atMost,
    places,
  })

  return [
    lines('code', code, 76_000),
    lines('tests', tests, 94_000),
    { what: 'modules', measured: code.length, atMost: 800, places: [] },
    { what: 'lines of a module, p50', measured: medianOf(code), atMost: null, places: [] },
    lines('apps/server', below('apps/server'), 3_300),
    lines('apps/cli', below('apps/cli'), 4_600),
    lines('packages/redact', below('packages/redact'), 2_400),
    lines('packages/history', below('packages/history'), 6_500),
    counted('names defined twice, but for translations', namesDefinedTwice(product), 60),
    pathFigure('files of a history route, in server and monitor', HISTORY_ROUTE, product, 5),
    pathFigure('files of a usage record', USAGE_RECORD, product, 8),
  ]
}

export function isReached({ measured, atMost }: Figure): boolean {
  return atMost === null || measured <= atMost
}

/** Counts the files of a path; infinite if a function is not where the path says, or nothing before it names it. */
function pathFigure(
  what: string,
  steps: readonly Step[],
  sources: readonly Pick<Source, 'path' | 'text'>[],
  atMost: number,
): Figure {
  const passed: string[] = []
  const found = steps.map(({ file, name, isCarrier = false }, index) => {
    const definition = new RegExp(
      `(?:function\\*?|const) ${name}\\b|^ +(?:async )?${name}[(:]`,
      'm',
    )
    const source = sources.find(
      (one) => one.path === file && definition.test(withoutComments(one.text)),
    )
    const isCalled =
      index === 0 || isCarrier || passed.some((text) => new RegExp(`\\b${name}\\b`).test(text))
    passed.push(withoutComments(source?.text ?? ''))
    return {
      file,
      name,
      isCarrier,
      isWhole: source !== undefined && isCalled,
    }
  })
  const known = found.filter(({ isCarrier }) => !isCarrier).map(({ file }) => file)
  const isWhole = found.every((step) => step.isWhole)
  return {
    what,
    measured: isWhole ? new Set(known).size : Number.POSITIVE_INFINITY,
    atMost,
    places: found.map((step) => {
      const note = step.isWhole ? '' : ' BROKEN'
      return `${step.file} ${step.name}${step.isCarrier ? ' (carrier)' : ''}${note}`
    }),
  }
}

function sourcesBelow(top: string, group: string): readonly Source[] {
  return readdirSync(join(top, group), { recursive: true, encoding: 'utf8' })
    .filter((name) => SOURCE.test(name) && !name.endsWith('.d.ts') && !NOT_OURS.test(name))
    .map((name) => {
      const text = readFileSync(join(top, group, name), 'utf8')
      return { path: `${group}/${name}`, text, lines: linesOf(text) }
    })
    .sort((one, other) => (one.path < other.path ? -1 : 1))
}

function linesOf(text: string): number {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*\/\//.test(line)).length
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
}

function medianOf(sources: readonly Source[]): number {
  const sorted = sources.map(({ lines }) => lines).sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** Exported names that several modules define, with the modules. The same words in English and in Chinese count as one module. */
function namesDefinedTwice(sources: readonly Source[]): readonly string[] {
  const paths = new Set(sources.map(({ path }) => path))
  const english = (path: string) =>
    ['/en/', '/'].map((folder) => path.replace('/zh-cn/', folder)).find((one) => paths.has(one))
  const modules = new Map<string, Set<string>>()
  for (const { path, text } of sources)
    for (const [, name = ''] of text.matchAll(EXPORTED))
      modules.set(name, (modules.get(name) ?? new Set()).add(english(path) ?? path))
  return [...modules]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)
}
