import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { program } from '../../tooling/service/built-program.ts'
import { top } from '../../tooling/top.ts'

const BUILD_MS_MAX = 900_000

const folder = mkdtempSync(join(tmpdir(), 'svc-container-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (command: string, args: readonly string[], cwd = folder) => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}

it('the container file of init builds, and its container runs', {
  timeout: BUILD_MS_MAX,
}, (context) => {
  const engine = ['docker', 'podman'].find((name) => spawnSync(name, ['info']).status === 0)
  if (engine === undefined) return context.skip('skipped, because no container engine is at hand')
  const pnpm = (
    JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as {
      readonly packageManager: string
    }
  ).packageManager
  expect(
    run('npx', ['--yes', pnpm, 'pack', '--pack-destination', folder], join(top, 'apps/cli')),
  ).toMatchObject({ status: 0 })
  writeFileSync(
    join(folder, 'Dockerfile'),
    spawnSync(process.execPath, [program, 'init', 'dockerfile', '--config', 'off']).stdout,
  )
  const image = `svc-quota-monitor-test:${process.pid}`

  expect(run(engine, ['build', '--tag', image, '.'])).toMatchObject({ status: 0 })
  try {
    expect(
      run(engine, ['run', '--rm', '--read-only', '--network', 'none', image, '--version']),
    ).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^svc-quota-monitor \d/),
    })
  } finally {
    run(engine, ['rmi', '--force', image])
  }
})
