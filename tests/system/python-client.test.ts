import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { freePort } from '../../tooling/service/built-program.ts'
import { startService } from '../../tooling/service/start-service.ts'
import { top } from '../../tooling/top.ts'

const GENERATOR = 'openapi_python_client'
const isThere = spawnSync('python3', ['-c', `import ${GENERATOR}`]).status === 0
const folder = mkdtempSync(join(tmpdir(), 'svc-python-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function python(args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('python3', args, { cwd: folder, encoding: 'utf8' })
  return { status, stdout, failure: status === 0 ? '' : `${stdout}${stderr}` }
}

interface Operation {
  readonly security: readonly unknown[]
}

it('a Python client made from the contract calls every path, and loses nothing of the answers', async (context) => {
  if (!isThere && process.env.CI === undefined)
    context.skip('skipped, because python3 has no openapi-python-client')
  const demo = await startService({
    where: 'program',
    args: ['--demo', '--port', String(await freePort())],
  })
  try {
    const text = await (await fetch(`${demo.url}/api/v1/openapi.json`)).text()
    const document = join(folder, 'openapi.json')
    writeFileSync(document, text)
    const generated = python([
      ...['-m', GENERATOR, 'generate', '--path', document, '--meta', 'none'],
      ...['--output-path', join(folder, 'monitor'), '--fail-on-warning'],
    ])
    expect(generated).toMatchObject({ status: 0, failure: '' })

    const called = python([
      join(top, 'tests/system/call-every-path.py'),
      folder,
      document,
      demo.url,
    ])
    expect(called).toMatchObject({ status: 0, failure: '' })
    const { paths } = JSON.parse(text) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    }
    const open = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { security }]) => security.length === 0)
        .map(([method]) => `${method} ${path}`),
    )
    expect(open.length).toBeGreaterThan(11)
    expect(
      called.stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(': ')[0]),
    ).toEqual(open)
  } finally {
    await demo.stop()
  }
})
