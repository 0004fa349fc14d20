import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One row of "When adding X, touch these" in CONTRIBUTING.md. */
export interface Recipe {
  readonly what: string
  /** Files and folders, from the top; `*` stands for any part of a name. */
  readonly paths: readonly string[]
  /** What the row says stands in the file named right after it, as in "`x` in `core/y.ts`". */
  readonly held: readonly { readonly name: string; readonly path: string }[]
}

/** Where the first part of a path in a recipe stands. */
const APPS = new Set(['server', 'cli', 'dashboard'])
const AS_WRITTEN = new Set(['apps', 'packages', 'tooling', 'tests', 'docs'])

/** The recipes of CONTRIBUTING.md. */
export function readRecipes(top: string): readonly Recipe[] {
  const section =
    readFileSync(join(top, 'CONTRIBUTING.md'), 'utf8')
      .split('## When adding X, touch these')[1]
      ?.split('\n## ')[0] ?? ''
  return section
    .split('\n')
    .filter((line) => /^\| (?!To |-)/.test(line))
    .map((line) => {
      const [, what = '', touched = ''] = line.split('|').map((cell) => cell.trim())
      return { what, paths: pathsOf(touched), held: heldIn(touched) }
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

function heldIn(touched: string): Recipe['held'] {
  return [...touched.matchAll(/`(\w+)` in `([\w./-]+)`/g)].map(([, name = '', path = '']) => ({
    name,
    path: fullPath(path),
  }))
}

function fullPath(path: string): string {
  const [first = '', ...rest] = path.split('/')
  if (AS_WRITTEN.has(first)) return path
  return [APPS.has(first) ? 'apps' : 'packages', first, 'src', ...rest].join('/')
}

/** Every file a recipe names that is not there, and every name that stands elsewhere than it says. */
export function brokenSteps(
  recipe: Recipe,
  top: string,
  files: readonly string[],
): readonly string[] {
  const missing = recipe.paths.filter((path) => {
    if (!path.includes('*')) return !existsSync(join(top, path))
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`)
    return !files.some((file) => pattern.test(file))
  })
  const elsewhere = recipe.held.filter(
    ({ name, path }) =>
      !existsSync(join(top, path)) ||
      !new RegExp(`\\b${name}\\b`).test(readFileSync(join(top, path), 'utf8')),
  )
  return [...missing, ...elsewhere.map(({ name, path }) => `${name} in ${path}`)].map(
    (step) => `${recipe.what}: ${step}`,
  )
}
