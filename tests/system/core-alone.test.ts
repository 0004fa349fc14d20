import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePackages } from '../../tooling/launch/make-packages.mjs'
import { top } from '../../tooling/top.ts'

const { version } = JSON.parse(readFileSync(join(top, 'packages/core/package.json'), 'utf8')) as {
  readonly version: string
}
const example = join(top, 'docs/examples/rank-accounts.mjs')

const RANKING = [
  '1. ada (plus) score',
  '2. brook (team) score',
  '3. casey (prolite) blocked: quota_exhausted_5h',
  '4. drew (plus) blocked: operator_disabled',
  'use ada: best',
]

function expectRanking(output: string) {
  const lines = output.trimEnd().split('\n')
  expect(lines).toHaveLength(RANKING.length)
  for (const [index, start] of RANKING.entries()) expect(lines[index]).toContain(start)
}

describe('@svc/core alone', () => {
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-core-alone-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('runs in the example under plain Node', () => {
    expect(existsSync(join(top, 'packages/core/dist/index.js')), 'run the build first').toBe(true)

    expectRanking(execFileSync(process.execPath, [example], { encoding: 'utf8' }))
  })

  it('is packed beside the program, installs into an empty folder and ranks there', async () => {
    const lines: string[] = []
    const phase = {
      done: () => undefined,
      failed: () => undefined,
      note: () => undefined,
      drop: () => undefined,
    }
    await makePackages({ begin: () => phase, line: (text) => void lines.push(text) }, folder)
    const tarball = `svc-core-${version}.tgz`
    expect(lines.join('\n')).toContain(tarball)
    expect(readdirSync(folder)).toContain(`svc-quota-monitor-${version}.tgz`)
    writeFileSync(join(folder, 'package.json'), '{"name":"empty","private":true,"type":"module"}')
    execFileSync(
      'npm',
      ['install', '--silent', '--offline', '--no-audit', '--no-fund', `./${tarball}`],
      { cwd: folder },
    )
    copyFileSync(example, join(folder, 'rank.mjs'))

    expectRanking(execFileSync(process.execPath, ['rank.mjs'], { cwd: folder, encoding: 'utf8' }))
    expect(
      readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ).toEqual(['@svc'])
  })

  it('packs types and no tests', () => {
    const listing = execFileSync('tar', ['-tzf', join(folder, `svc-core-${version}.tgz`)], {
      encoding: 'utf8',
    })

    expect(listing).toContain('package/dist/index.d.ts')
    expect(listing).not.toMatch(/\.test\.|package\/src\//)
  })
})
