import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
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
  readonly filesThatKnowAColumn: Figure
  readonly slivers: Figure
  /** Of the door with most of them. */
  readonly doorNames: Figure
  readonly exportsWithoutSentence: Figure
  readonly brokenReferences: Figure
  /** In percent of all comments. */
  readonly riddles: Figure
  readonly lines: Figure
}

interface SourceText {
  /** Relative to the top, with forward slashes. */
  readonly path: string
  readonly text: string
}

const SLIVER_LINES_MAX = 60
/** A measure of usage, by the names that code and both schemas give it; it stands for all of them. */
const COLUMN = /\b(?:tokensCached|tokens_cached)\b/
/** The table of windows, two rules that are about these two windows, and what speaks the wire: the client, payloads, settings, the page, alerts. */
const NAMES_WINDOWS = [
  'packages/core/src/facts/window.ts',
  'packages/core/src/account/reclaim-window.ts',
  'packages/core/src/account/routing-score.ts',
  'packages/collector/src/providers/',
  'packages/client/',
  'packages/views/',
  'packages/config/',
  'apps/dashboard/',
  'packages/deploy/src/templates/',
]
/**
 * The first words of a comment whose subject has to be guessed: a free relative clause, or a pronoun for what was not named. "Whether" says
 * what a flag is about, so it is none.
 */
const RIDDLE = /^(?:What|How|Where|Who|Whom|Whose|When|Why|Those|These|They|Their|It|Its|Such)\b/

const isProduct = ({ path }: SourceText) => !/\.test\.tsx?$|\/testing\/|\.d\.ts$/.test(path)

/** Measures the tree below `top`. */
export function shapeOf(top: string): Shape {
  const all = sourcesBelow(top, ['packages', 'apps'])
  const product = all.filter(isProduct)
  const everything = [...all, ...sourcesBelow(top, ['tooling', 'tests'])]
  const comments = product.flatMap(commentsOf)
  const riddles = comments.filter(({ text }) => RIDDLE.test(text))
  const doors = product.filter(({ path }) => path.endsWith('/index.ts'))
  const doorSizes = doors.map((door) => ({
    path: door.path,
    names: exportedNames(door.text).length,
  }))
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
    filesThatKnowAColumn: counted(
      'files that know one measure of the store',
      product
        .filter(
          ({ path, text }) => !path.includes('/migrations/') && COLUMN.test(withoutComments(text)),
        )
        .map(({ path }) => path),
    ),
    slivers: counted(
      `modules of at most ${SLIVER_LINES_MAX} lines that one module of their folder uses alone`,
      sliversOf(product),
    ),
    doorNames: {
      what: 'names of the widest door',
      measured: Math.max(0, ...doorSizes.map(({ names }) => names)),
      places: doorSizes.map(({ path, names }) => `${path} ${names}`),
    },
    exportsWithoutSentence: counted(
      'exports of a door without a sentence',
      doors.flatMap((door) => undocumented(door, top)),
    ),
    brokenReferences: counted(
      'references in comments that do not resolve',
      // The test of this measure plants broken ones.
      everything
        .filter(({ path }) => path !== 'tooling/shape.test.ts')
        .flatMap((source) => brokenReferences(source, top)),
    ),
    riddles: {
      what: 'comments whose subject has to be guessed, in percent',
      measured: (100 * riddles.length) / Math.max(1, comments.length),
      places: riddles.map(({ path, text }) => `${path} ${text.slice(0, 80)}`),
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

/** Small modules with one importer, which stands in the same folder. */
function sliversOf(sources: readonly SourceText[]): readonly string[] {
  const importers = new Map<string, Set<string>>()
  for (const { path, text } of sources)
    for (const [, specifier = ''] of text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
      const target = normalize(join(dirname(path), specifier))
      importers.set(target, (importers.get(target) ?? new Set()).add(path))
    }
  return sources
    .filter(({ path, text }) => {
      const [importer, ...others] = importers.get(path) ?? []
      return (
        linesOf(text) <= SLIVER_LINES_MAX &&
        importer !== undefined &&
        others.length === 0 &&
        dirname(importer) === dirname(path) &&
        !importer.endsWith('/index.ts')
      )
    })
    .map(({ path, text }) => `${path} ${linesOf(text)}`)
}

/** Doc comments and runs of line comments, each as its text alone. */
function commentsOf({ path, text }: SourceText): readonly SourceText[] {
  const found = text.matchAll(/\/\*\*([\s\S]*?)\*\/|(?:^[ \t]*\/\/[^\n]*\n)+/gm)
  return [...found].map(([whole, doc]) => ({
    path,
    text: (doc ?? whole).replace(/^[ \t]*(?:\*|\/\/)?[ \t]*/gm, '').trim(),
  }))
}

function exportedNames(door: string): readonly string[] {
  return [...door.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.replace(/\btype\b/, '').trim())
      .filter((name) => name !== ''),
  )
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
