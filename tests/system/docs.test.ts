import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { instantToIso } from '@svc/core'
import { aFakeAccount, createFakeUpstream } from '@svc/fake-proxy'
import { openHistory } from '@svc/history'
import { type PostgresServer, startPostgres, whyNoPostgres } from '@svc/history/testing'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { configurationDoc, referenceDoc } from '../../tooling/generated-docs.ts'
import { type ServedFake, serveFake } from '../../tooling/serve-fake.ts'
import { freePort, program, runProgram } from '../../tooling/service/built-program.ts'
import { type ServiceProcess, startService } from '../../tooling/service/start-service.ts'
import { testInstant } from '../../tooling/test-instant.ts'
import { top } from '../../tooling/top.ts'

const KEY = 'docs-management-key'
const noPostgres = whyNoPostgres()
const isCi = process.env.CI !== undefined
const DOCUMENTS = [
  'README.md',
  ...readdirSync(join(top, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const textOf = (document: string) => readFileSync(join(top, document), 'utf8')
/** Request of a client, which the fake proxy does not take. */
const CLIENT_REQUEST = '$proxy/v1/responses'
/** Run where they belong: CI is `npm test`, a fresh clone builds and serves the demo, and the package is installed by its own test. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'npm run demo',
  'npm test',
  'npm run live',
  'npm run package',
  'npm install --global --ignore-scripts ./svc-quota-monitor-*.tgz',
  'svc-quota-monitor setup',
])

interface Snippet {
  readonly document: string
  readonly language: string
  readonly code: string
}

const snippets = DOCUMENTS.flatMap((document) =>
  [...textOf(document).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', code = '']): Snippet => ({ document, language, code }),
  ),
)
const isElsewhere = ({ code }: Snippet) =>
  code.includes(CLIENT_REQUEST) ||
  code
    .trim()
    .split('\n')
    .every((line) => ELSEWHERE.has(line.replace(/ +#.*$/, '')))

describe('the documents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-docs-'))
  let demo: ServiceProcess
  let served: ServedFake
  let postgres: PostgresServer | null = null
  let env: Record<string, string>

  beforeAll(async () => {
    demo = await startService({
      where: 'program',
      args: ['--demo', '--port', String(await freePort())],
    })
    const fake = createFakeUpstream({
      now: () => testInstant,
      managementKey: KEY,
      accounts: [aFakeAccount({ name: 'ana' })],
    })
    served = await serveFake(fake, 0)
    mkdirSync(join(folder, 'bin'))
    mkdirSync(join(folder, 'node_modules/@svc'), { recursive: true })
    symlinkSync(join(top, 'packages/client'), join(folder, 'node_modules/@svc/client'))
    // The service ends by itself after a while; everything else is the program as it is.
    const started = `"${process.execPath}" "${program}" --start-instant=${instantToIso(testInstant)}`
    const shim = `#!/bin/sh\nif [ $# -eq 0 ]; then timeout 3 ${started} --port ${await freePort()}; [ $? -eq 124 ]; exit; fi\nexec ${started} "$@"\n`
    for (const name of ['svc-quota-monitor', 'sqm']) {
      writeFileSync(join(folder, 'bin', name), shim)
      chmodSync(join(folder, 'bin', name), 0o755)
    }
    await (await openHistory(join(folder, 'history.db'))).close()
    if (noPostgres === null) postgres = await startPostgres()
    env = {
      PGHOST: '127.0.0.1',
      PGPORT: String(postgres?.port),
      PGUSER: 'postgres',
      PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
      HOME: folder,
      PROXY_MANAGEMENT_KEY: KEY,
    }
  })
  afterAll(async () => {
    await demo.stop()
    await served.close()
    await postgres?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The proxy of these tests lives in this process, so nothing may hold it up. */
  const run = async (command: string, args: readonly string[], cwd: string) => {
    const child = spawn(command, args, {
      cwd,
      env,
      timeout: 30_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const [status] = (await once(child, 'close')) as [number | null]
    return { status, output }
  }

  it('have commands and programs to run', () => {
    expect(new Set(snippets.map(({ language }) => language))).toEqual(
      new Set(['sh', 'python', 'js']),
    )
    expect(snippets.length).toBeGreaterThan(12)
  })

  it.for(snippets.filter((snippet) => !isElsewhere(snippet)))(
    '$document: $language $code',
    async ({ language, code }: Snippet, context: TestContext) => {
      const needed = language === 'python' ? 'python3' : /\bjq\b/.test(code) ? 'jq' : null
      if (needed !== null && !isCi && spawnSync(needed, ['--version']).error !== undefined)
        context.skip(`skipped, because ${needed} is not installed`)
      if (noPostgres !== null && /\bpsql\b|postgres:\/\//.test(code)) context.skip(noPostgres)
      const here = code
        .replaceAll('@db.example/', `@127.0.0.1:${postgres?.port}/`)
        .replaceAll('http://127.0.0.1:4516', demo.url)
        .replaceAll('http://127.0.0.1:8317', served.url)
      const [command, ...args] = {
        sh: ['bash', '--norc', '-euo', 'pipefail', '-c', here],
        python: ['python3', '-c', here],
        js: [process.execPath, '--input-type=module', '-e', here],
      }[language] ?? ['false']
      const cwd = mkdtempSync(join(folder, 'here-'))
      copyFileSync(join(folder, 'history.db'), join(cwd, 'history.db'))
      const { status, output } = await run(command ?? '', args, cwd)

      expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' })
    },
  )

  it('say nothing of a reason, metric, alert or check that does not exist, and leave none out', async () => {
    const metrics = await (await fetch(`${demo.url}/metrics`)).text()
    const reference = textOf('docs/reference.md')
    const families = [...metrics.matchAll(/^# TYPE svc_quota_monitor_(\S+)/gm)].map(
      ([, name]) => name,
    )
    const rules = (await runProgram(['init', 'rules', '--config', 'off'])).stdout
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
    const checks = (
      JSON.parse((await runProgram(['doctor', '--json', '--config', 'off'])).stdout) as {
        checks: readonly { id: string }[]
      }
    ).checks.map(({ id }) => id)

    const reasons = [...metrics.matchAll(/blocked_accounts_by_reason\{reason="(\w+)"/g)].map(
      ([, name]) => name,
    )

    expect(reasons.length).toBeGreaterThan(7)
    expect(
      reasons.filter(
        (name) =>
          name !== 'quota_exhausted_other' && !textOf('docs/wrappers.md').includes(`\`${name}\``),
      ),
    ).toEqual([])
    expect(families.length).toBeGreaterThan(30)
    expect(
      [...families, ...alerts, ...checks].filter((name) => !reference.includes(`\`${name}\``)),
    ).toEqual([])
    const told = [...reference.matchAll(/^\| `(\w+)` \| (?:\d+ min|at once) \|/gm)].map(
      ([, name]) => name,
    )
    expect(told).toEqual(alerts)
  })

  it('have a configuration reference that is current (else run `npm run docs`)', () => {
    expect(textOf('docs/configuration.md')).toBe(configurationDoc())
  })

  it('have tables as the code has them that owns what they list (else run `npm run docs`)', async () => {
    expect(textOf('docs/reference.md')).toBe(await referenceDoc())
  })

  it('link to files that are there', () => {
    const broken = DOCUMENTS.flatMap((document) =>
      [...textOf(document).matchAll(/\]\(((?!https?:)[^)#]+)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(resolve(dirname(join(top, document)), target)))
        .map((target) => `${document}: ${target}`),
    )

    expect(broken).toEqual([])
  })
})

describe('a decision record', () => {
  it.each(readdirSync(join(top, 'docs/decisions')))(
    'has its number, a question and a decision: %s',
    (name) => {
      const text = textOf(`docs/decisions/${name}`)

      expect(text).toMatch(new RegExp(`^# ${name.slice(0, 3)} · \\S`))
      expect(/^\*\*(\w+)/m.exec(text)?.[1]).toBe('Question')
      expect(text).toMatch(/^\*\*Decision\.\*\*/m)
    },
  )
})
