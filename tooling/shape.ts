import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { mutualFolders } from './check-arrows.ts'

/** A figure of the shape of the code, and every place that makes it what it is. */
export interface Figure {
  readonly what: string
  readonly measured: number
  readonly places: readonly string[]
}

export interface Shape {
  readonly mutualFolderPairs: Figure
  readonly filesThatNameWindows: Figure
  readonly longFiles: Figure
  /** In percent of all functions. */
  readonly longFunctions: Figure
  readonly exportsWithoutSentence: Figure
  readonly brokenReferences: Figure
  /** In percent of the modules. */
  readonly modulesWithTest: Figure
  readonly lines: Figure
}

interface SourceText {
  /** Relative to the top, with forward slashes. */
  readonly path: string
  readonly text: string
}

const FILE_LINES_MAX = 350
const FUNCTION_LINES_MAX = 70
/** Tables of data may be as long as what they list. */
const TABLES = ['packages/redact/src/patterns/']
/** The table of windows, two rules that are about these two windows, and what speaks the wire: payloads, settings, the page, alerts. */
const NAMES_WINDOWS = [
  'packages/core/src/facts/window.ts',
  'packages/core/src/account/reclaim-window.ts',
  'packages/core/src/account/routing-score.ts',
  'packages/views/',
  'packages/config/',
  'apps/dashboard/',
  'packages/deploy/src/templates/',
]
/** A module with less code than this is tested through those that use it; one without a function has nothing to test. */
const MODULE_LINES_MIN = 30

const isProduct = ({ path }: SourceText) =>
  !/\.test\.tsx?$|\/testing\/|^packages\/fake-proxy\/|\.d\.ts$/.test(path)

/** Measures the tree below `top`. */
export function shapeOf(top: string): Shape {
  const all = sourcesBelow(top, ['packages', 'apps'])
  const product = all.filter(isProduct)
  const everything = [...all, ...sourcesBelow(top, ['tooling', 'tests'])]
  const functions = product.flatMap(functionsOf)
  const long = functions.filter(({ lines }) => lines > FUNCTION_LINES_MAX)
  const worthTesting = product.filter(
    (source) => linesOf(source.text) >= MODULE_LINES_MIN && functionsOf(source).length > 0,
  )
  const untested = worthTesting.filter(
    ({ path }) => !existsSync(join(top, path.replace(/\.tsx?$/, '.test.ts'))),
  )
  const counted = (what: string, places: readonly string[]): Figure => ({
    what,
    measured: places.length,
    places,
  })

  return {
    mutualFolderPairs: counted('pairs of folders that import each other', mutualPairs(product)),
    filesThatNameWindows: counted(
      'files that name a window outside the allowed places',
      product
        .filter(
          ({ path, text }) =>
            !NAMES_WINDOWS.some((place) => path.startsWith(place)) &&
            /'(?:5h|week)'/.test(withoutComments(text)),
        )
        .map(({ path }) => path),
    ),
    longFiles: counted(
      `files of more than ${FILE_LINES_MAX} lines`,
      product
        .filter(
          ({ path, text }) =>
            linesOf(text) > FILE_LINES_MAX && !TABLES.some((table) => path.startsWith(table)),
        )
        .map(({ path, text }) => `${path} ${linesOf(text)}`),
    ),
    longFunctions: {
      what: `functions of more than ${FUNCTION_LINES_MAX} lines, in percent`,
      measured: (100 * long.length) / functions.length,
      places: long.map(({ path, name, lines }) => `${path} ${name} ${lines}`),
    },
    exportsWithoutSentence: counted(
      'exports of a door without a sentence',
      product
        .filter(({ path }) => path.endsWith('/index.ts'))
        .flatMap((door) => undocumented(door, top)),
    ),
    brokenReferences: counted(
      'references in comments that do not resolve',
      // The test of this measure plants broken ones.
      everything
        .filter(({ path }) => path !== 'tooling/shape.test.ts')
        .flatMap((source) => brokenReferences(source, top)),
    ),
    modulesWithTest: {
      what: `modules with functions, of ${MODULE_LINES_MIN} lines or more, with a test beside them, in percent`,
      measured: (100 * (worthTesting.length - untested.length)) / worthTesting.length,
      places: untested.map(({ path }) => path),
    },
    lines: {
      what: 'lines of product code',
      measured: product.reduce((sum, { text }) => sum + linesOf(text), 0),
      places: [],
    },
  }
}

function sourcesBelow(top: string, groups: readonly string[]): readonly SourceText[] {
  return groups.flatMap((group) =>
    readdirSync(join(top, group), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/(?:^|\/)(?:node_modules|dist)\//.test(name))
      .filter((name) => group === 'tooling' || group === 'tests' || name.includes('/src/'))
      .map((name) => ({
        path: `${group}/${name}`,
        text: readFileSync(join(top, group, name), 'utf8'),
      })),
  )
}

const linesOf = (text: string) => text.trimEnd().split('\n').length

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')

/** Folders of one package that import each other; types count as well, and the files beside the folders are one of them. */
function mutualPairs(sources: readonly SourceText[]): readonly string[] {
  const packages = new Set(sources.map(({ path }) => path.split('/').slice(0, 3).join('/')))
  return [...packages].flatMap((folder) =>
    mutualFolders(sources, folder).map((pair) => `${folder}: ${pair}`),
  )
}

interface CodeFunction {
  readonly path: string
  readonly name: string
  readonly lines: number
}

/** Functions with a body of several lines. The formatter closes a block at the indentation at which it was opened. */
function functionsOf({ path, text }: SourceText): readonly CodeFunction[] {
  const lines = text.split('\n')
  return lines.flatMap((line, opening) => {
    const start = signatureStart(lines, opening)
    const signature = start === opening ? line : `${lines[start]}) {`
    const opened =
      /^(\s*)(?:.*\bfunction\b\*?\s*(\w*).*|.*?(\w+)?\s*(?:=|:|\().*(?:=>|\(\))|(?:async |get |set |#)*(\w+)\(.*\)(?::.*)?) \{$/.exec(
        signature,
      )
    if (opened === null || /^\s*(?:if|for|while|switch|catch|\} else)\b/.test(signature)) return []
    const end = lines.findIndex(
      (other, index) => index > opening && other.startsWith(`${opened[1]}}`),
    )
    if (end < 0) return []
    const name = opened[2] ?? opened[3] ?? opened[4] ?? 'a function'
    return [{ path, name, lines: end - start + 1 }]
  })
}

/** Where the signature begins that ends in this line: further up where the parameters, or the members of one, stand on lines of their own. */
function signatureStart(lines: readonly string[], end: number): number {
  const indent = /^(\s*)(?:\}: .*)?\).* \{$/.exec(lines[end] ?? '')?.[1]
  if (indent === undefined) return end
  const above = lines
    .slice(0, end)
    .findLastIndex((line) => line.startsWith(indent) && /\S/.test(line[indent.length] ?? ''))
  return above < 0 ? end : above
}

/** Names that a door exports and that have no doc comment where they are declared. */
function undocumented({ path, text }: SourceText, top: string): readonly string[] {
  return [...text.matchAll(/export (?:type )?\{([^}]*)\} from '(\.[^']+)'/g)].flatMap(
    ([, names = '', specifier = '']) => {
      const module = readFileSync(join(top, dirname(path), specifier), 'utf8')
      return names
        .split(',')
        .map(
          (name) =>
            name
              .replace(/\btype\b/, '')
              .split(' as ')[0]
              ?.trim() ?? '',
        )
        .filter((name) => name !== '' && !isDocumented(module, name))
        .map((name) => `${path} ${name}`)
    },
  )
}

function isDocumented(module: string, name: string): boolean {
  const declared = new RegExp(
    `\\n?([^\\n]*)\\nexport (?:declare )?(?:async )?(?:abstract )?(?:const|function\\*?|class|type|interface|enum) ${name}\\b`,
  )
  const before = declared.exec(`\n\n${module}`)?.[1]
  // What is only passed on is documented where it comes from.
  return before === undefined || before.trim().endsWith('*/')
}

/** What a comment may point at besides a page of the repository: standards, and the documents of others. */
const PUBLIC = /^(?:RFC|SQLite|W3C|WCAG|Prometheus|OpenMetrics|Unicode|WHATWG|ECMA|POSIX|https?:)/

/** References to pages of `docs/` that are not there, and sources that are named and cannot be read here. */
function brokenReferences({ path, text }: SourceText, top: string): readonly string[] {
  const comments = [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|\/\/[^\n]*/g)].map(([comment]) => comment)
  return comments.flatMap((comment) => {
    const broken: string[] = []
    for (const [reference, page = '', anchor] of comment.matchAll(
      /\b(docs\/[\w/.-]+?\.md)(?:#([\w-]+))?/g,
    )) {
      if (
        !existsSync(join(top, page)) ||
        (anchor !== undefined && !anchorsOf(join(top, page)).has(anchor))
      )
        broken.push(`${path} ${reference}`)
    }
    for (const [, source = ''] of comment.matchAll(/\bSource(?: of [^:]*)?: ([^\n*]+)/g)) {
      if (!PUBLIC.test(source) && !source.startsWith('docs/') && !source.startsWith('`'))
        broken.push(`${path} Source: ${source.trim()}`)
    }
    // A section sign belongs to a document that is not here.
    for (const [, reference = ''] of comment.matchAll(/(\w+ §\s?[\d.]+)/g))
      broken.push(`${path} ${reference}`)
    return broken
  })
}

const anchors = new Map<string, ReadonlySet<string>>()

/** The anchors of the headings of a page, as they are made of their words. */
function anchorsOf(page: string): ReadonlySet<string> {
  const known = anchors.get(page)
  if (known !== undefined) return known
  const found = new Set(
    [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  )
  anchors.set(page, found)
  return found
}
