import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filled } from '@svc/client/testing'
import { afterAll, expect, it } from 'vitest'
import { answering } from '../testing/answering.ts'
import { cli } from '../testing/run-for-test.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-headers-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
function aFile(text: string, mode = 0o600): string {
  files += 1
  const path = join(folder, `headers-${files}`)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const SECRET = 'Basic c2VjcmV0OnNlY3JldA=='

/** Runs a verb against a service behind a login, and gives the headers of each request. */
async function asked(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const seen: Headers[] = []
  const service = answering({
    '/api/v1/recommendations': { source: { kind: 'live' } },
    '/api/v1/pick': { item: filled('RecommendationItem') },
    '/api/v1/health': {},
    '/api/v1/status': {},
    '/api/v1/events': () => Response.json({ error: 'Too many.' }, { status: 503 }),
    '/api/v1/accounts/a': {},
  })
  const fetch: typeof globalThis.fetch = async (input, init) => {
    seen.push(new Headers(init?.headers))
    return seen.at(-1)?.get('Authorization') === SECRET
      ? service(input, init)
      : new Response('<html>', { status: 401 })
  }
  const outcome = await cli([...argv, '--url', 'http://at.example'], { fetch, env })
  return { seen, ...outcome }
}

it.each([
  ['pick'],
  ['pick', '--as', 'one'],
  ['guard'],
  ['accounts'],
  ['why', 'a'],
  ['top', '--once'],
  ['line'],
  ['events'],
])('%s %s %s passes a login by the flag and by the variable', async (...argv) => {
  const path = aFile(`# of the team\r\n\r\nAuthorization: ${SECRET}\nX-Team:  a b \n`)
  const variable = { SVC_QUOTA_MONITOR_URL_HEADERS_FILE: path }

  for (const { seen, stderr } of [
    await asked([...argv, '--header-file', path]),
    await asked(argv, variable),
  ]) {
    expect(seen.map((headers) => headers.get('X-Team'))).toEqual(seen.map(() => 'a b'))
    expect(seen.length).toBeGreaterThan(0)
    expect(stderr).not.toMatch(/login|c2Vj/)
  }
})

it('without it says that there is a login, and which flag passes it', async () => {
  expect(await asked(['line'])).toMatchObject({
    code: 2,
    stderr:
      'svc-quota-monitor: a login is asked for at http://at.example (HTTP 401): --header-file names its headers\n',
  })
})

it.each<[string, () => string, RegExp]>([
  ['that does not exist', () => join(folder, 'none'), /none does not exist$/],
  ['that is empty', () => aFile('\n'), /is empty$/],
  ['that others may read', () => aFile('A: b', 0o644), /can be read by other users: chmod 600/],
  ['that others may write', () => aFile('A: b', 0o622), /can be written by other users/],
  ['that is a folder', () => folder, /is not a regular file$/],
  ['without a colon', () => aFile(`A: b\n${SECRET}\n`), /line 2: a header as Name: value/],
  ['with a blank in a name', () => aFile('A B: c'), /line 1: a header as/],
  ['with a control character', () => aFile('A: b\u001bc'), /line 1: a header as/],
  ['with a sign beyond ASCII', () => aFile('A: \u00fc'), /line 1: a header as/],
  ['with a length of its own', () => aFile('Content-Length: 5'), /line 1: Content-Length is set/],
  ['with a name twice', () => aFile('A: b\na: c'), /line 2: a is there already$/],
])('a file %s is a mistake, whose content is not repeated', async (_title, path, message) => {
  const { code, stderr, seen } = await asked(['line', '--header-file', path()])

  expect([code, seen]).toEqual([2, []])
  expect(stderr.trimEnd()).toMatch(/^svc-quota-monitor: --header-file: /)
  expect(stderr.trimEnd()).toMatch(message)
  expect(stderr).not.toContain('c2Vj')
})

it('a link to a file of its owner is followed', async () => {
  const link = join(folder, 'link')
  symlinkSync(aFile(`authorization: ${SECRET}`), link)

  expect(await asked(['plan', '--header-file', link])).toMatchObject({ seen: [expect.anything()] })
  expect((await asked(['plan', '--header-file', link])).stderr).not.toContain('login')
})
