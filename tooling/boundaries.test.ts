import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { boundaries, namesIn } from './boundaries.ts'
import { brokenArrows, circularFolders, everyBeside, type SourceFile } from './check-arrows.ts'
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

  it('arrows that lead back are found, through others and through a row of several folders too', () => {
    expect(circularFolders({ a: 'b', b: 'c', c: 'a', d: 'a' })).toEqual(['a', 'b', 'c'])
    expect(circularFolders({ a: 'b/one', 'b/*': 'a' })).toEqual(['a'])
  })

  it.each([
    { imports: '../contract/provider.ts', broken: 0 },
    { imports: '../beta/answer.ts', broken: 1 },
    { imports: '../../usage/feed.ts', broken: 1 },
  ])('a folder of `a/*` has the arrows of that row: $imports', ({ imports, broken }) => {
    const path = 'packages/collector/src/providers/acme/descriptor.ts'

    expect(brokenArrows([{ path, text: `import { x } from '${imports}'` }])).toHaveLength(broken)
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
    ['core imports a built-in', 'packages/core/src/facts/time.ts', "import fs from 'node:fs'"],
    [
      'views import the collector',
      'packages/views/src/status.ts',
      "import { createLiveSource } from '@svc/collector'",
    ],
    [
      'a package enters another by a side door',
      'packages/views/src/status.ts',
      "import { x } from '@svc/core/src/time.ts'",
    ],
    [
      'a package reaches into another by path',
      'packages/views/src/status.ts',
      "import { x } from '../../core/src/time.ts'",
    ],
    [
      'a test reaches into another package by path',
      'packages/views/src/status.test.ts',
      "import { x } from '../../core/src/time.ts'",
    ],
    [
      'the CLI starts the server outside run.ts',
      'apps/cli/src/main.ts',
      "const { startServer } = await import('@svc/server')",
    ],
    [
      'a route uses prom-client',
      'apps/server/src/routes/read-api.ts',
      "import { Gauge } from 'prom-client'",
    ],
    [
      'a fact imports a rule',
      'packages/core/src/facts/account.ts',
      "import type { AccountStatus } from '../account/account-status.ts'",
    ],
    [
      'health sees the whole evaluation',
      'packages/core/src/health/source-health.ts',
      "import { evaluateSnapshot } from '../evaluate.ts'",
    ],
    [
      'a rule imports a builder of tests',
      'packages/core/src/pool/capacity.ts',
      "import { NOW } from '../testing/builders.ts'",
    ],
    [
      'the CLI builds a payload',
      'apps/cli/src/commands/doctor.ts',
      "import { healthView } from '@svc/views'",
    ],
    [
      'a program imports the settings of tests',
      'packages/doctor/src/examine.ts',
      "import { configWith } from '@svc/config/testing'",
    ],
    [
      'a test imports the testing door of a package it may not see',
      'packages/views/src/status.test.ts',
      "import { configWorld } from '@svc/config/testing'",
    ],
    [
      'product code imports a testing door',
      'packages/views/src/status.ts',
      "export { anAccount } from '@svc/core/testing'",
    ],
  ])('refuse it when %s', (_what, path, text) => {
    expect(brokenArrows([{ path, text }])).toHaveLength(1)
  })

  it.each([
    [
      'a test imports a testing door',
      'packages/views/src/status.test.ts',
      "import { anAccount } from '@svc/core/testing'",
    ],
    [
      'a test imports the testing door of a package it may see',
      'packages/doctor/src/key-check.test.ts',
      "import { configWith } from '@svc/config/testing'",
    ],
    [
      'a test uses the builders',
      'packages/core/src/pool/capacity.test.ts',
      "import { NOW } from '../testing/builders.ts'",
    ],
    [
      'the door sees every folder',
      'packages/core/src/index.ts',
      "export { evaluateHealth } from './health/evaluate-health.ts'",
    ],
    [
      'the fake proxy uses hono',
      'tooling/fake-proxy/src/fake-upstream.ts',
      "import { Hono } from 'hono'",
    ],
    [
      'an import spans lines',
      'packages/views/src/status.ts',
      "import {\n  type Snapshot,\n} from '@svc/core'",
    ],
  ])('allow it when %s', (_what, path, text) => {
    expect(brokenArrows([{ path, text }])).toEqual([])
  })
})
