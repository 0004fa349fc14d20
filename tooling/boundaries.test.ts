import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Arrows, type Boundary, boundaries, namesIn } from './boundaries.ts'
import { top } from './top.ts'

function sourceFiles(): readonly SourceFile[] {
  return boundaries.flatMap(({ folder }) =>
    readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') || name.endsWith('.tsx'))
      .map((name) => ({
        path: `${folder}/${name}`,
        text: readFileSync(join(top, folder, name), 'utf8'),
      })),
  )
}

const PROVIDER = 'packages/collector/src/providers/acme'

describe('boundaries', () => {
  it('hold in the whole tree', () => {
    const files = sourceFiles()

    expect(files.length).toBeGreaterThan(60)
    expect(brokenArrows(files)).toEqual([])
  })

  it.each(boundaries)('no way of arrows in $folder leads back', ({ arrows }) => {
    expect(circularFolders(arrows)).toEqual([])
  })

  it('every folder has a row of arrows, and every arrow leads to a folder', () => {
    const ofPackage = (folder: string) =>
      sourceFiles().flatMap(({ path }) =>
        path.startsWith(`${folder}/`) ? namesOf(posix.dirname(path.slice(folder.length + 1))) : [],
      )
    const namesOf = (inner: string) => [inner, everyBeside(inner)]
    for (const { folder, arrows } of boundaries) {
      expect(ofPackage(folder), folder).toEqual(
        expect.arrayContaining([...Object.keys(arrows), ...Object.values(arrows).flatMap(namesIn)]),
      )
    }
  })

  it('every package and app stands in the table, and the fake proxy', () => {
    const folders = ['packages', 'apps'].flatMap((group) =>
      readdirSync(join(top, group)).map((name) => `${group}/${name}/src`),
    )

    expect(boundaries.map((boundary) => boundary.folder).sort()).toEqual(
      [...folders, 'tooling/fake-proxy/src'].sort(),
    )
  })

  it.each([
    ['a package imports a built-in', 'packages/core/src/facts/time.ts', 'node:fs', false],
    ['a package imports another', 'packages/views/src/status.ts', '@svc/collector', false],
    ['a side door', 'packages/views/src/status.ts', '@svc/core/src/time.ts', false],
    ['a path out of a package', 'packages/views/src/status.test.ts', '../../core/src/a.ts', false],
    ['an import of one file alone', 'apps/cli/src/main.ts', '@svc/server', false],
    ['the same in that file', 'apps/cli/src/commands/run.ts', '@svc/server', true],
    ['a fact imports a rule', 'packages/core/src/facts/account.ts', '../account/lapses.ts', false],
    ['a rule imports a fact', 'packages/core/src/account/lapses.ts', '../facts/account.ts', true],
    ['one provider imports another', `${PROVIDER}/descriptor.ts`, '../beta/answer.ts', false],
    ['and their contract', `${PROVIDER}/descriptor.ts`, '../contract/provider.ts', true],
    ['a testing door', 'packages/views/src/status.ts', '@svc/core/testing', false],
    ['the same in a test', 'packages/views/src/status.test.ts', '@svc/core/testing', true],
    ['the door sees every folder', 'packages/core/src/index.ts', './health/answer.ts', true],
  ])('are checked: %s', (_what, path, specifier, isAllowed) => {
    const text = `import {\n  x,\n} from '${specifier}'\nconst y = 1`

    expect(brokenArrows([{ path, text }])).toHaveLength(isAllowed ? 0 : 1)
  })

  it('a circle of arrows is found, through a row of several folders too', () => {
    expect(circularFolders({ a: 'b', b: 'c/one', 'c/*': 'a', d: 'a' })).toEqual(['a', 'b'])
  })
})

/** Further imports allowed in tests and the folder `testing`, besides those of their folder and the testing entry points of these. */
const TEST_ONLY = ['vitest', 'fast-check', '@svc/core/testing', '@svc/fake-proxy', 'node:*']

interface SourceFile {
  /** Relative to the top, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** Imports that break an arrow, one readable line each. Files outside all folders of the table are ignored. */
function brokenArrows(
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
function everyBeside(folder: string): string {
  return `${posix.dirname(folder)}/*`
}

/** Folders that are part of a cycle of these arrows. */
function circularFolders(arrows: Arrows): readonly string[] {
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
