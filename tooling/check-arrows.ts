import { posix } from 'node:path'
import { type Arrows, type Boundary, boundaries, namesIn } from './boundaries.ts'

/** Further imports allowed in tests and the folder `testing`, besides those of their folder and the testing entry points of these. */
const TEST_ONLY = ['vitest', 'fast-check', '@svc/core/testing', '@svc/fake-proxy', 'node:*']

export interface SourceFile {
  /** Relative to the top, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** Imports that break an arrow, one readable line each. Files outside all folders of the table are ignored. */
export function brokenArrows(
  files: readonly SourceFile[],
  table: readonly Boundary[] = boundaries,
): readonly string[] {
  return files.flatMap((file) => {
    const boundary = table.find((candidate) => file.path.startsWith(`${candidate.folder}/`))
    if (boundary === undefined) return []
    return importsOf(file.text).flatMap((specifier) => {
      const problem = problemWith(specifier, file.path, boundary)
      return problem === null ? [] : [`${file.path} imports ${specifier}: ${problem}`]
    })
  })
}

function problemWith(specifier: string, path: string, boundary: Boundary): string | null {
  const inFolder = path.slice(boundary.folder.length + 1)
  if (specifier.startsWith('.')) {
    if (leavesFolder(inFolder, specifier)) return 'a package is entered by its door only'
    return problemWithArrow(inFolder, specifier, boundary.arrows)
  }

  const doors = namesIn(boundary.packages)
  const allowed = [...doors, ...namesIn(boundary.thirdParty)]
  if (isTest(path) || inFolder.startsWith('testing/'))
    allowed.push(...TEST_ONLY, ...doors.map((door) => `${door}/testing`))
  for (const [dependency, places] of Object.entries(boundary.onlyIn ?? {})) {
    if (namesIn(places).some((place) => inFolder.startsWith(place))) allowed.push(dependency)
  }
  return allowed.some((name) => matches(specifier, name))
    ? null
    : `not among ${allowed.join(', ') || 'nothing'}`
}

function problemWithArrow(inFolder: string, specifier: string, arrows: Arrows): string | null {
  if (isDoor(inFolder) || isTest(inFolder)) return null
  const [from, to] = [innerFolderOf(inFolder), importedFolderOf(inFolder, specifier)]
  const allowed = namesIn(arrows[from] ?? arrows[everyBeside(from)])
  return from === to || allowed.includes(to) || allowed.includes(everyBeside(to))
    ? null
    : `${from} sees ${allowed.join(', ') || 'nothing but itself'}`
}

/** Name of a folder and its siblings in a row of arrows. */
export function everyBeside(folder: string): string {
  return `${posix.dirname(folder)}/*`
}

/** Folders that are part of a cycle of these arrows. */
export function circularFolders(arrows: Arrows): readonly string[] {
  const reachableFrom = (start: string) => {
    const reached = new Set<string>()
    const open = [start]
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      for (const next of namesIn(arrows[folder] ?? arrows[everyBeside(folder)])) {
        if (!reached.has(next)) open.push(next)
        reached.add(next)
      }
    }
    return reached
  }
  return Object.keys(arrows).filter((folder) => reachableFrom(folder).has(folder))
}

function isDoor(inFolder: string): boolean {
  return inFolder === 'index.ts'
}

function innerFolderOf(inFolder: string): string {
  return posix.dirname(inFolder)
}

function importedFolderOf(inFolder: string, specifier: string): string {
  return innerFolderOf(posix.join(innerFolderOf(inFolder), specifier))
}

function matches(specifier: string, name: string): boolean {
  if (name.endsWith('*')) return specifier.startsWith(name.slice(0, -1))
  // Doors of our own packages are exact; a third party may have several.
  return (
    specifier === name ||
    (!name.startsWith('@svc/') && !name.startsWith('node:') && specifier.startsWith(`${name}/`))
  )
}

function leavesFolder(inFolder: string, specifier: string): boolean {
  return posix.join(innerFolderOf(inFolder), specifier).startsWith('..')
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.endsWith('.test.tsx')
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s(?:[^'";]*?\sfrom\s)?\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g

function importsOf(text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? '')
}
