import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { top } from './top.ts'

const files = ['packages', 'apps', 'docs', 'tests', 'tooling'].flatMap((group) =>
  readdirSync(`${top}/${group}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/(?:^|\/)(?:node_modules|dist)\//.test(name))
    .map((name) => `${group}/${name}`),
)

describe('the recipes of CONTRIBUTING.md', () => {
  const recipes = readRecipes(top)

  it('are read', () => {
    expect(recipes.length).toBeGreaterThan(15)
    expect(recipes.every(({ paths }) => paths.length > 0)).toBe(true)
  })

  it('name files that are there, and what stands in them', () => {
    expect(recipes.flatMap((recipe) => brokenSteps(recipe, top, files))).toEqual([])
  })

  it('would be found out', () => {
    const paths = ['packages/core/src/sky.ts', 'packages/core/src/no*.ts']
    const names = ['planKindOf', 'starPolicy'].map((name) => ({ name, path: 'docs/rules.md' }))

    expect(brokenSteps({ what: 'add a star', paths, names }, top, files)).toEqual([
      'add a star: packages/core/src/sky.ts',
      'add a star: packages/core/src/no*.ts',
      'add a star: planKindOf in docs/rules.md',
      'add a star: starPolicy in docs/rules.md',
    ])
  })
})

describe('the paths of a page', () => {
  it.each(['CONTRIBUTING.md', 'docs/architecture.md'])('exist: %s', (page) => {
    expect(missingPaths(readFileSync(`${top}/${page}`, 'utf8'), files)).toEqual([])
  })

  it('are found where they do not exist', () => {
    const page = [
      'See `core/src/facts`, `core/facts`, `sky/`, `facts/stars.ts`, `npm run x` and `/api/v1`.',
      '```',
      'packages/core/src/',
      '  facts/   what is known',
      '  stars/   what is not',
      '             deeper words, which name nothing',
      '```',
    ].join('\n')

    expect(missingPaths(page, files)).toEqual([
      'sky/',
      'facts/stars.ts',
      'packages/core/src/stars/',
    ])
  })
})

/** One row of "Where do I change …?" in CONTRIBUTING.md. */
interface Recipe {
  readonly what: string
  /** Files and folders, from the top; `*` stands for any part of a name. */
  readonly paths: readonly string[]
  /** Names in code; `path` is the file named right after the name, as in "`x` in `core/y.ts`", or null for any of the row's files. */
  readonly names: readonly { readonly name: string; readonly path: string | null }[]
}

/** First parts of recipe paths: folders in `apps`, and folders that are written in full. */
const APPS = new Set(['server', 'cli', 'dashboard'])
const AS_WRITTEN = new Set(['apps', 'packages', 'tooling', 'tests', 'docs'])

/** The recipes of CONTRIBUTING.md. */
function readRecipes(top: string): readonly Recipe[] {
  const section =
    readFileSync(join(top, 'CONTRIBUTING.md'), 'utf8')
      .split('## Where do I change …?')[1]
      ?.split('\n## ')[0] ?? ''
  return section
    .split('\n')
    .filter((line) => /^\| (?!To |-)/.test(line))
    .map((line) => {
      const [, what = '', touched = ''] = line.split('|').map((cell) => cell.trim())
      return { what, paths: pathsOf(touched), names: namesIn(touched) }
    })
}

function pathsOf(touched: string): readonly string[] {
  let folder = ''
  return [...touched.matchAll(/`([\w*./-]+)`/g)].flatMap(([, path = '']) => {
    // A name alone is a file beside the one before it; other names are code.
    if (!path.includes('/')) return /\.(?:ts|md|tsx)$/.test(path) ? [`${folder}/${path}`] : []
    const full = fullPath(path)
    folder = full.slice(0, full.lastIndexOf('/'))
    return [full]
  })
}

/** Names that are followed by a file or have a capital or an underscore, so that `codex` and `doctor` do not count. */
function namesIn(touched: string): Recipe['names'] {
  return [...touched.matchAll(/`(\w+)`(?: in `([\w./-]+)`)?/g)]
    .filter(([, name = '', path]) => path !== undefined || /[a-z][A-Z]|^[A-Z]\w|_/.test(name))
    .map(([, name = '', path]) => ({ name, path: path === undefined ? null : fullPath(path) }))
}

function fullPath(path: string): string {
  const [first = '', ...rest] = path.split('/')
  if (AS_WRITTEN.has(first)) return path
  return [APPS.has(first) ? 'apps' : 'packages', first, 'src', ...rest].join('/')
}

/** Files that a recipe names but that do not exist, and names that are not in the stated file. */
function brokenSteps(recipe: Recipe, top: string, files: readonly string[]): readonly string[] {
  const missing = recipe.paths.filter((path) => {
    if (!path.includes('*')) return !existsSync(join(top, path))
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`)
    return !files.some((file) => pattern.test(file))
  })
  const elsewhere = recipe.names.filter(({ name, path }) => {
    const places = path === null ? recipe.paths : [path]
    return !places.some((place) => filesAt(place, files).some((file) => hasName(name, top, file)))
  })
  return [
    ...missing,
    ...elsewhere.map(({ name, path }) => `${name} in ${path ?? 'none of its files'}`),
  ].map((step) => `${recipe.what}: ${step}`)
}

function filesAt(path: string, files: readonly string[]): readonly string[] {
  return path.endsWith('/') ? files.filter((file) => file.startsWith(path)) : [path]
}

function hasName(name: string, top: string, file: string): boolean {
  const path = join(top, file)
  return (
    /\.(?:tsx?|md)$/.test(file) &&
    existsSync(path) &&
    new RegExp(`\\b${name}\\b`).test(readFileSync(path, 'utf8'))
  )
}

function endingsOf(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.map((_, index) => parts.slice(index).join('/'))
}

/** Paths on a page that match the end of no file or folder. In a tree drawn in a code block, the names at the beginning of lines count. */
function missingPaths(page: string, files: readonly string[]): readonly string[] {
  const known = new Set(
    // `core/x` stands for `packages/core/src/x`.
    files.flatMap((file) => [...endingsOf(file), ...endingsOf(file.replace('/src/', '/'))]),
  )
  const isMissing = (path: string) => !known.has(path.replace(/\/$/, ''))
  const inTree = [...page.matchAll(/```\n([\w/-]+\/)\n([\s\S]*?)```/g)].flatMap(
    ([, folder = '', tree = '']) =>
      [...tree.matchAll(/^ {2}([\w./-]+)/gm)].map(([, name = '']) => `${folder}${name}`),
  )
  const inText = [...page.matchAll(/`([a-z][\w.-]*\/[\w./-]*)`/g)].map(([, path = '']) => path)
  return [...inText, ...inTree].filter(isMissing)
}
