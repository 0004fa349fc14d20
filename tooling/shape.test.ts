import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type Shape, shapeOf } from './shape.ts'
import { top } from './top.ts'

/** A figure that gets better is written down here, so that it cannot get worse again. */
const LIMITS: Readonly<
  Partial<Record<keyof Shape, { readonly atMost?: number; readonly atLeast?: number }>>
> = {
  mutualFolderPairs: { atMost: 0 },
  filesThatNameWindows: { atMost: 0 },
  longFiles: { atMost: 0 },
  longFunctions: { atMost: 0.4 },
  exportsWithoutSentence: { atMost: 0 },
  brokenReferences: { atMost: 0 },
  modulesWithTest: { atLeast: 82 },
}

let folder: string | null = null
afterEach(() => {
  if (folder !== null) rmSync(folder, { recursive: true })
  folder = null
})

/** The shape of a tree of these files. */
function shapeOfFiles(files: Readonly<Record<string, string>>): Shape {
  folder = mkdtempSync(join(tmpdir(), 'svc-shape-'))
  for (const name of ['packages', 'apps', 'tooling', 'tests', 'docs']) mkdirSync(join(folder, name))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return shapeOf(folder)
}

describe('the shape of the code', () => {
  const shape = shapeOf(top)

  it.each(Object.keys(LIMITS) as (keyof Shape)[])('does not get worse: %s', (name) => {
    const { measured, places } = shape[name]
    const { atMost = Number.POSITIVE_INFINITY, atLeast = 0 } = LIMITS[name] ?? {}

    expect([measured <= atMost && measured >= atLeast, measured, places]).toEqual([
      true,
      measured,
      places,
    ])
  })
})

describe('the measure of it', () => {
  it('finds folders that import each other, types included, and leaves the door out', () => {
    const { mutualFolderPairs } = shapeOfFiles({
      'packages/a/src/one/x.ts': "import type { y } from '../two/y.ts'\n",
      'packages/a/src/two/y.ts': "import { x } from '../one/x.ts'\n",
      'packages/a/src/three/z.ts': "import { x } from '../one/x.ts'\n",
      'packages/a/src/index.ts': "export { x } from './one/x.ts'\n",
    })

    expect(mutualFolderPairs.places).toEqual(['packages/a/src: one <-> two'])
  })

  it('finds window names in code and not in comments', () => {
    const { filesThatNameWindows } = shapeOfFiles({
      'packages/a/src/x.ts': "/** As '5h'. */\nexport const x = 1\n",
      'packages/a/src/y.ts': "export const y = 'week'\n",
      'packages/views/src/z.ts': "export const z = '5h'\n",
    })

    expect(filesThatNameWindows.places).toEqual(['packages/a/src/y.ts'])
  })

  it('counts the lines of functions of every form', () => {
    const body = `${'  x()\n'.repeat(80)}}\n`
    const { longFunctions } = shapeOfFiles({
      'packages/a/src/x.ts': [
        `export function named(a: number): void {\n${body}`,
        `const arrow = async (a: number): Promise<void> => {\n${body}`,
        `export function wrapped(\n  a: number,\n): void {\n${body}`,
        `export function members({\n  a,\n}: A): void {\n${body}`,
        'function short() {\n  x()\n}\n',
        `if (\n  x()\n) {\n${body}`,
      ].join(''),
    })

    expect(longFunctions.places).toEqual([
      'packages/a/src/x.ts named 82',
      'packages/a/src/x.ts arrow 82',
      'packages/a/src/x.ts wrapped 84',
      'packages/a/src/x.ts members 84',
    ])
    expect(longFunctions.measured).toBe(80)
  })

  it('finds references to pages and headings that are not there, and sources that nobody can read', () => {
    const { brokenReferences } = shapeOfFiles({
      'docs/rules.md': '# The rules\n\n## Routing score\n',
      'packages/a/src/x.ts': [
        '/** See docs/rules.md#routing-score. */',
        '/** See docs/rules.md#runway. */',
        '/** See docs/nothing.md. */',
        '/** Source: RFC 9110 5.6.7. */',
        '/** Source: the book of rules 3. */',
        'export const x = 1',
      ].join('\n'),
    })

    expect(brokenReferences.places).toEqual([
      'packages/a/src/x.ts docs/rules.md#runway',
      'packages/a/src/x.ts docs/nothing.md',
      'packages/a/src/x.ts Source: the book of rules 3.',
    ])
  })

  it('finds what a door exports without a sentence', () => {
    const { exportsWithoutSentence } = shapeOfFiles({
      'packages/a/src/index.ts': "export { bare, said, type Kind as Named } from './x.ts'\n",
      'packages/a/src/x.ts':
        'export const bare = 1\n\n/** One. */\nexport function said() {}\n\nexport type Kind = 1\n',
    })

    expect(exportsWithoutSentence.places).toEqual([
      'packages/a/src/index.ts bare',
      'packages/a/src/index.ts Kind',
    ])
  })

  it('finds long files and modules without a test beside them', () => {
    const lines = (count: number) => `function f() {\n${'  x()\n'.repeat(count - 2)}}\n`
    const { longFiles, modulesWithTest } = shapeOfFiles({
      'packages/a/src/long.ts': lines(351),
      'packages/a/src/long.test.ts': lines(900),
      'packages/a/src/untested.ts': lines(30),
      'packages/a/src/small.ts': lines(29),
      'packages/a/src/table.ts': 'x()\n'.repeat(40),
    })

    expect(longFiles.places).toEqual(['packages/a/src/long.ts 351'])
    expect([modulesWithTest.measured, modulesWithTest.places]).toEqual([
      50,
      ['packages/a/src/untested.ts'],
    ])
  })
})
