import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { brokenSteps, missingPaths, readRecipes } from './recipes.ts'
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
    const recipe = {
      what: 'add a star',
      paths: ['packages/core/src/sky.ts', 'packages/core/src/no*.ts'],
      names: [],
    }
    expect(brokenSteps(recipe, top, files)).toHaveLength(2)
    expect(
      brokenSteps(
        {
          ...recipe,
          paths: [],
          names: [{ name: 'starPolicy', path: 'packages/core/src/index.ts' }],
        },
        top,
        files,
      ),
    ).toHaveLength(1)
    expect(
      brokenSteps(
        {
          ...recipe,
          paths: ['packages/core/src/facts/', 'packages/core/src/index.ts'],
          names: ['planKindOf', 'mainWindows', 'starPolicy'].map((name) => ({ name, path: null })),
        },
        top,
        files,
      ),
    ).toEqual(['add a star: starPolicy in none of its files'])
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
