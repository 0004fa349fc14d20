import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A figure of the shape of the code beside its goal. */
export interface Figure {
  readonly what: string
  readonly measured: number
  /** Null where the figure is only shown. */
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
const NOT_OURS = /(?:^|\/)(?:node_modules|dist|target)\//
const TEST = /^tests\/|\.test\.(?:ts|tsx|mjs)$|\/testing\/|\/tests\//
const EXPORTED =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:const|function\*?|class|type|interface|enum) (\w+)/gm
/** Code that names the chart of usage, from its route to the reading thread. */
const NAMES_CHART = /\b(?:chart|encodeChart|SeriesRequest|SeriesAnswers)\b/
/** Code that names a usage record, from the queue of the proxy to the tables. */
const NAMES_RECORD = /\b(?:decodeQueue|DecodedUsage|UsageBatch|UsageDetail|UsageFeed|UsageSink)\b/

/** Measures the tree below `top`. */
export function shapeOf(top: string): readonly Figure[] {
  const all = GROUPS.flatMap((group) => sourcesBelow(top, group))
  const tests = all.filter(({ path }) => TEST.test(path))
  const code = all.filter(({ path }) => !TEST.test(path))
  const below = (...folders: readonly string[]) =>
    code.filter(({ path }) => folders.some((folder) => path.startsWith(`${folder}/`)))
  const product = below('packages', 'apps').filter(({ path }) => /\.tsx?$/.test(path))
  const naming = (name: RegExp, sources: readonly Source[]) =>
    sources.filter(({ text }) => name.test(withoutComments(text))).map(({ path }) => path)
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
    counted('names defined twice', namesDefinedTwice(product), 60),
    counted(
      'files of a history route (the chart of usage, in server and monitor)',
      naming(NAMES_CHART, below('apps/server', 'packages/monitor')),
      5,
    ),
    counted('files of a usage record', naming(NAMES_RECORD, product), 8),
  ]
}

export function isReached({ measured, atMost }: Figure): boolean {
  return atMost === null || measured <= atMost
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

/** Exported names that several modules define, with the modules. */
function namesDefinedTwice(sources: readonly Source[]): readonly string[] {
  const modules = new Map<string, Set<string>>()
  for (const { path, text } of sources)
    for (const [, name = ''] of text.matchAll(EXPORTED))
      modules.set(name, (modules.get(name) ?? new Set()).add(path))
  return [...modules]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)
}
