import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { epochMs } from '@svc/core'
import { createFakeUpstream, mixedPool } from '@svc/fake-proxy'
import { serveFake } from './serve-fake.ts'
import { freePort, program } from './service/built-program.ts'
import { runNode } from './service/node-process.ts'
import { MANAGEMENT_KEY, startService } from './service/start-service.ts'
import { inFolder } from './top.ts'

/**
 * Measures the share of harmless atoms that a redacted bundle keeps: `npm run readability -- --page` prints the losses, and a page before and after.
 * An atom is a word, number, instant, code or name of a metric; it counts unless it is an account, key, path or address.
 */
const { values } = parseArgs({ options: { page: { type: 'boolean', default: false } } })

const SHARE_MIN = 0.97
/** Text that must not be readable; it is removed from both sides before atoms are counted. */
const PERSONAL = [
  /[\w.+-]+@[\w.-]+/g,
  /(?:https?|socks5):\/\/[^\s"',)]+/g,
  /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?/g,
  /(?<![\w])(?:[/~][\w.@+-]+){2,}\/?/g,
  /\b[\w@.+-]+\.json\b/g,
  /\b(?=\d*[a-f])[0-9a-f]{16,}\b/g,
  /\b(?:sk|client|key)-[\w-]+/g,
]
const ATOM = /[\p{L}\p{N}][\p{L}\p{N}_.:+-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu
/** Atoms that support cannot do without: numbers, instants, names of metrics, codes. */
const NEEDED =
  /^(?:[\d.]{1,15}|\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|\+\d\d:\d\d))?|svc_\w+|[a-z]+(?:_[a-z]+)+)$/

function atomsOf(text: string): readonly string[] {
  const plain = PERSONAL.reduce((rest, pattern) => rest.replace(pattern, ' '), text)
  return plain.match(ATOM) ?? []
}

/** Atoms of a line that are missing from its copy. */
function lostIn(line: string, copy: string): readonly string[] {
  const kept = new Map<string, number>()
  for (const atom of copy.match(ATOM) ?? []) kept.set(atom, (kept.get(atom) ?? 0) + 1)
  return atomsOf(line).filter((atom) => {
    const count = kept.get(atom) ?? 0
    kept.set(atom, count - 1)
    return count <= 0
  })
}

/** Lines in the form of the proxy's log. */
function proxyLog(names: readonly string[]): string {
  return names
    .flatMap((name, index) => {
      const head = `[2026-11-21 17:3${index % 10}:0${index % 6}] [${(index + 0xa1b2c3).toString(16)}e${index % 10}]`
      return [
        `${head} [info ] [gin_logger.go:94] 200 |        1.${index}s |       127.0.0.1 | POST    "/v1/responses"`,
        `${head} [debug] [conductor.go:1207] Use OAuth provider=codex auth_file=${name} for model gpt-5.5`,
        `${head} [warn ] [codex_executor.go:211] request error, error status: 429, error body: {"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_in_seconds":${3600 + index}}}`,
        `${head} [error] [gin_logger.go:91] 503 |          12ms |    203.0.113.${index} | POST    "/v1/messages" | auth_unavailable: no auth available`,
      ]
    })
    .join('\n')
}

function harOf(answers: ReadonlyMap<string, string>, key: string): string {
  const entries = [...answers].map(([path, text]) => ({
    startedDateTime: '2026-11-21T17:31:00.124Z',
    time: 12.4,
    request: {
      method: 'GET',
      url: `http://127.0.0.1:4515${path}`,
      httpVersion: 'HTTP/1.1',
      headers: [{ name: 'Authorization', value: `Bearer ${key}` }],
    },
    response: {
      status: 200,
      statusText: 'OK',
      headers: [{ name: 'content-type', value: 'application/json' }],
      content: { size: text.length, mimeType: 'application/json', text },
    },
  }))
  return JSON.stringify(
    { log: { version: '1.2', creator: { name: 'browser', version: '131.0' }, entries } },
    null,
    1,
  )
}

/** Files of a bundle as they were before the redaction, by name. */
async function filesOfBundle(folder: string): Promise<ReadonlyMap<string, string>> {
  const now = () => epochMs(Date.now())
  const accounts = mixedPool(6, now())
  const served = await serveFake(
    createFakeUpstream({ now, managementKey: MANAGEMENT_KEY, accounts }),
    0,
  )
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, MANAGEMENT_KEY, { mode: 0o600 })
  const config = `port = ${await freePort()}
upstream_url = "${served.url}"
management_key_file = "${keyFile}"
log_level = "debug"
quota_probes_per_minute = 30
state_db = "${join(folder, 'history.db')}"
`
  writeFileSync(join(folder, 'config.toml'), config, { mode: 0o600 })
  const asked = ['--config', join(folder, 'config.toml')]
  const service = await startService({ where: 'program', time: 'real', args: asked })
  await setTimeout(15_000)
  const answers = new Map<string, string>()
  for (const path of ['/api/v1/status', '/api/v1/health', '/api/v1/recommendations', '/metrics'])
    answers.set(path, await (await fetch(service.url + path)).text())
  const doctor = await runNode([program, 'doctor', '--json', ...asked])
  const printed = await runNode([program, 'print-config', ...asked])
  const files = new Map([
    ['service.log', service.output()],
    ['proxy.log', proxyLog(accounts.map(({ fileName }) => fileName))],
    ['doctor.json', doctor.stdout],
    ['settings.txt', printed.stdout],
    ['status.json', answers.get('/api/v1/status') ?? ''],
    ['health.json', answers.get('/api/v1/health') ?? ''],
    ['metrics.txt', answers.get('/metrics') ?? ''],
    ['page.har', harOf(answers, MANAGEMENT_KEY)],
    ['config.toml', config],
  ])
  await service.stop()
  await served.close()
  return files
}

await inFolder(async (folder) => {
  const files = await filesOfBundle(folder)
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
  const paths = [...files.keys()].map((name) => join(folder, name))
  const { code, stderr } = await runNode([
    ...[program, 'redact', '--config', join(folder, 'config.toml')],
    ...[...paths, '--output', join(folder, 'out')],
  ])
  if (code !== 0) throw new Error(`redact ended with ${code}: ${stderr}`)
  let count = 0
  const lost: string[] = []
  for (const [name, text] of files) {
    const copy = readFileSync(join(folder, 'out', name), 'utf8')
    if (/\.(?:json|har)$/.test(name)) JSON.parse(copy)
    const [lines, copies] = /\.(?:json|har)$/.test(name)
      ? [text, copy].map((json) => JSON.stringify(JSON.parse(json), null, 1).split('\n'))
      : [text.split('\n'), copy.split('\n')]
    const atoms = (lines ?? []).map(atomsOf).reduce((sum, { length }) => sum + length, 0)
    const gone = (lines ?? []).flatMap((line, index) => lostIn(line, copies?.[index] ?? ''))
    count += atoms
    lost.push(...gone)
    console.log(`${name}: ${atoms - gone.length} of ${atoms} atoms kept`)
    if (values.page) page(name, lines ?? [], copies ?? [])
  }
  const needed = lost.filter((atom) => NEEDED.test(atom))
  const share = (count - lost.length) / count
  console.log(
    `${(share * 100).toFixed(2)} % of ${count} atoms kept; ${needed.length} numbers, instants, metrics or codes lost`,
  )
  if (values.page) console.log([...new Set(lost)].slice(0, 200).join(' '))
  process.exitCode = share >= SHARE_MIN && needed.length === 0 ? 0 : 1
})

/** Prints lines that the redaction changed, before and after. */
function page(name: string, lines: readonly string[], copies: readonly string[]): void {
  const changed = lines.flatMap((line, index) => (line === copies[index] ? [] : [index]))
  for (const index of changed.slice(0, 6))
    console.log(
      `${name}:${index + 1}\n- ${lines[index]?.slice(0, 300)}\n+ ${copies[index]?.slice(0, 300)}`,
    )
}
