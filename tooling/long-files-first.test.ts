import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { BaseSequencer, type TestSpecification, type Vitest } from 'vitest/node'
import { LONG_FILES, LongFilesFirst } from './long-files-first.ts'
import { top } from './top.ts'

afterEach(() => void vi.restoreAllMocks())

it('names files that exist', () => {
  expect(LONG_FILES.filter((path) => !existsSync(join(top, path)))).toEqual([])
})

it('begins with the long files, the longest first, and leaves the others in the order of vitest', async () => {
  const [longest = '', second = ''] = LONG_FILES
  const files = ['tests/b.test.ts', second, 'tests/a.test.ts', longest].map(
    (path) => ({ moduleId: join(top, path) }) as TestSpecification,
  )
  vi.spyOn(BaseSequencer.prototype, 'sort').mockResolvedValue([...files])

  const sorted = await new LongFilesFirst({} as Vitest).sort(files)

  expect(sorted.map(({ moduleId }) => moduleId.slice(top.length + 1))).toEqual([
    longest,
    second,
    'tests/b.test.ts',
    'tests/a.test.ts',
  ])
})
