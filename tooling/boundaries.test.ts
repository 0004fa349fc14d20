import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { boundaries, brokenArrows, type SourceFile } from './boundaries.ts'
import { top } from './top.ts'

function sourceFiles(): readonly SourceFile[] {
  return boundaries.flatMap(({ folder }) =>
    readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') || name.endsWith('.tsx'))
      .map((name) => ({ path: `${folder}/${name}`, text: readFileSync(join(top, folder, name), 'utf8') })),
  )
}

describe('boundaries', () => {
  it('hold in the whole tree', () => {
    const files = sourceFiles()

    expect(files.length).toBeGreaterThan(60)
    expect(brokenArrows(files)).toEqual([])
  })

  it('every package and app stands in the table', () => {
    const folders = ['packages', 'apps'].flatMap((group) => readdirSync(join(top, group)).map((name) => `${group}/${name}/src`))

    expect(boundaries.map((boundary) => boundary.folder).sort()).toEqual(folders.sort())
  })

  it.each([
    ['core imports a built-in', 'packages/core/src/time.ts', "import fs from 'node:fs'"],
    ['core imports a library', 'packages/core/src/time.ts', "import * as v from 'valibot'"],
    ['views import the collector', 'packages/views/src/status.ts', "import { createLiveSource } from '@svc/collector'"],
    ['demo imports config', 'packages/demo/src/index.ts', "import type { Config } from '@svc/config'"],
    ['a package enters another by a side door', 'packages/views/src/status.ts', "import { x } from '@svc/core/src/time.ts'"],
    ['a package reaches into another by path', 'packages/views/src/status.ts', "import { x } from '../../core/src/time.ts'"],
    ['the CLI starts the server outside run.ts', 'apps/cli/src/main.ts', "const { startServer } = await import('@svc/server')"],
    ['a route uses prom-client', 'apps/server/src/routes/read-api.ts', "import { Gauge } from 'prom-client'"],
    ['the collector uses hono outside testing', 'packages/collector/src/live-source.ts', "import { Hono } from 'hono'"],
    ['history words its errors itself', 'packages/history/src/history-error.ts', "import { storeConditions } from '@svc/views/messages'"],
    ['the CLI builds a payload', 'apps/cli/src/commands/doctor.ts', "import { healthView } from '@svc/views'"],
    ['product code imports a testing door', 'packages/views/src/status.ts', "export { anAccount } from '@svc/core/testing'"],
  ])('refuse it when %s', (_what, path, text) => {
    expect(brokenArrows([{ path, text }])).toHaveLength(1)
  })

  it.each([
    ['a test imports a testing door', 'packages/views/src/status.test.ts', "import { anAccount } from '@svc/core/testing'"],
    ['a fake uses hono', 'packages/collector/src/testing/fake-upstream.ts', "import { Hono } from 'hono'"],
    ['an import spans lines', 'packages/views/src/status.ts', "import {\n  type Snapshot,\n} from '@svc/core'"],
  ])('allow it when %s', (_what, path, text) => {
    expect(brokenArrows([{ path, text }])).toEqual([])
  })
})
