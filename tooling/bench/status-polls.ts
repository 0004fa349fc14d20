import { request } from 'node:http'
import { parseArgs } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { pause } from '../eventually.ts'
import { type MeasuredService, startMeasuredService } from './measured-service.ts'
import { cpuSeconds, rssMb } from './process-cost.ts'
import { median } from './statistics.ts'

/*
 * What a page that stays open costs: every five seconds it asks for the whole status, and then for as long what has changed since the one it has; and the
 * same of health.
 *
 *     npm run build && node tooling/dist/bench/status-polls.js --accounts 1000 --seconds 90
 */
const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '90' },
    'probes-per-minute': { type: 'string', default: '30' },
    encoding: { type: 'string', default: 'br' },
  },
})
const accounts = Number(values.accounts)
const probesPerMinute = Number(values['probes-per-minute'])
/** A small answer is smaller in the other of the two that a browser takes. */
const accepted = values.encoding === 'br' ? 'gzip, br' : values.encoding
const PATHS = ['/api/v1/status', '/api/v1/health'] as const
const POLL_MS = 5_000
/** How many times faster the clock runs until every account is read. */
const FACTOR = 60
const KB = 1000

interface Answer {
  readonly status: number
  readonly etag: string
  readonly bytes: Buffer
  readonly encoding: string
}

/** A status in one form, with nothing unpacked. */
function ask(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { ...headers, 'accept-encoding': accepted } })
    asked.on('error', reject)
    asked.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const { statusCode: status = 0, headers: sent } = response
        const encoding = sent['content-encoding'] ?? ''
        resolve({ status, etag: sent.etag ?? '', bytes: Buffer.concat(chunks), encoding })
      })
    })
    asked.end()
  })
}

function unpacked({ bytes, encoding }: Answer): Buffer {
  if (encoding === 'br') return brotliDecompressSync(bytes)
  return encoding === 'gzip' ? gunzipSync(bytes) : bytes
}

interface Poll {
  readonly answer: Answer
  readonly document: { readonly since?: string; readonly etag?: string; readonly steps?: unknown }
}

/** Asks every five seconds with what `headersFor` and `queryFor` make of the version it has. */
async function pollFor(
  service: MeasuredService,
  path: string,
  askFor: (etag: string) => { readonly query: string; readonly headers: Record<string, string> },
): Promise<readonly Poll[]> {
  const polls: Poll[] = []
  const first = await ask(service.url + path, {})
  let { etag } = first
  const endsAt = performance.now() + Number(values.seconds) * 1000
  while (performance.now() < endsAt) {
    await pause(POLL_MS)
    const { query, headers } = askFor(etag)
    const answer = await ask(service.url + path + query, headers)
    if (answer.status === 304) continue
    const document = JSON.parse(unpacked(answer).toString()) as Poll['document']
    etag = document.etag ?? answer.etag
    polls.push({ answer, document })
  }
  return polls
}

/** One way of asking, and what it cost the service. */
async function measure(
  service: MeasuredService,
  path: string,
  what: string,
  askFor: Parameters<typeof pollFor>[2],
): Promise<void> {
  const evaluationsBefore = service.evaluations().length
  const cpuBefore = cpuSeconds(service.pid)
  const polls = await pollFor(service, path, askFor)
  const sizes = polls.map(({ answer }) => answer.bytes.length / KB)
  const changes = polls.filter(({ document }) => document.since !== undefined)
  const evaluations = service.evaluations().slice(evaluationsBefore)
  console.log(
    JSON.stringify({
      path,
      what,
      kbPerMinute: round(
        (sizes.reduce((sum, size) => sum + size, 0) / Number(values.seconds)) * 60,
      ),
      answers: polls.length,
      changes: changes.length,
      medianKb: round(median(sizes)),
      largestKb: round(Math.max(...sizes)),
      medianPlainKb: round(
        median(changes.map(({ document }) => JSON.stringify(document).length / KB)),
      ),
      evaluations: evaluations.length,
      encodeMs: round(median(evaluations.map(({ encodeMs }) => encodeMs))),
      cpuSeconds: round(cpuSeconds(service.pid) - cpuBefore),
      rssMb: round(rssMb(service.pid)),
    }),
  )
  const last = changes.at(-1)?.document
  if (last !== undefined) console.log(JSON.stringify(membersIn(last.steps)))
}

/** How often each member changes in a row. */
function membersIn(steps: unknown): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  const walk = (change: unknown, path: string) => {
    if (Array.isArray(change)) {
      counts[path] = (counts[path] ?? 0) + 1
      return
    }
    for (const [member, inner] of Object.entries(change as object))
      walk(inner, /^\d+$/.test(member) ? `${path}[]` : `${path}.${member}`)
  }
  for (const { change } of steps as readonly { readonly change: unknown }[]) walk(change, '')
  return Object.fromEntries(
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .slice(0, 16),
  )
}

function round(value: number): number {
  return Number(value.toFixed(1))
}

const sampleSeconds = Math.ceil(((accounts / probesPerMinute) * 60 * 1.2) / FACTOR) + 5
const service = await startMeasuredService(
  accounts,
  { factor: FACTOR, seconds: sampleSeconds },
  { flags: { 'quota-probes-per-minute': String(probesPerMinute) } },
)
await pause((sampleSeconds + 5) * 1000)
for (const path of PATHS) {
  await measure(service, path, 'whole', (etag) => ({
    query: '',
    headers: { 'if-none-match': etag },
  }))
  await measure(service, path, 'changes', (etag) => ({
    query: `?since=${encodeURIComponent(etag)}`,
    headers: {},
  }))
}
await service.stop()
