import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { brokenSteps, readRecipes } from './recipes.ts'
import { top } from './top.ts'

describe('the recipes of CONTRIBUTING.md', () => {
  const recipes = readRecipes(top)
  const files = ['packages', 'apps'].flatMap((group) =>
    readdirSync(`${top}/${group}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.includes('node_modules'))
      .map((name) => `${group}/${name}`),
  )

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
      held: [],
    }
    expect(brokenSteps(recipe, top, files)).toHaveLength(2)
    expect(
      brokenSteps(
        {
          ...recipe,
          paths: [],
          held: [{ name: 'starPolicy', path: 'packages/core/src/index.ts' }],
        },
        top,
        files,
      ),
    ).toHaveLength(1)
  })
})
