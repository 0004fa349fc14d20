import { writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { type NodeProcess, startNode } from '../service/node-process.ts'
import { inFolder, top } from '../top.ts'
import type { RecordedAnswer } from './bare-server.ts'

/** Paths of the service whose reads are measured. */
export const measuredPaths = [
  '/api/v1/recommendations',
  '/api/v1/status',
  '/api/v1/health',
  '/metrics',
] as const

/** Request headers for each kind of answer. Any validator will do for `not_modified`, because the payload changes during the measurement. */
export function requestHeaders(kind: RecordedAnswer['kind']): Readonly<Record<string, string>> {
  if (kind === 'plain') return {}
  return kind === 'gzip' ? { 'Accept-Encoding': 'gzip' } : { 'If-None-Match': '*' }
}

/** Records every answer of the service as sent over the wire, for the bare server. */
export async function recordAnswers(url: string): Promise<readonly RecordedAnswer[]> {
  const kinds = (path: string): readonly RecordedAnswer['kind'][] =>
    path === '/metrics' ? ['plain'] : ['plain', 'gzip', 'not_modified']
  const answers: RecordedAnswer[] = []
  for (const path of measuredPaths)
    for (const kind of kinds(path)) answers.push(await record(url, path, kind))
  return answers
}

/** Starts a bare server with these answers. */
export function startBareServer(
  answers: readonly RecordedAnswer[],
  processors: string,
  {
    kind = 'node',
    nodeArgs = [],
  }: { readonly kind?: 'node' | 'hono'; readonly nodeArgs?: readonly string[] } = {},
): Promise<NodeProcess> {
  // It reads them before it listens.
  return inFolder(async (folder) => {
    const file = join(folder, 'answers.json')
    writeFileSync(file, JSON.stringify(answers))
    const entry = join(top, 'tooling/dist/bench/bare-server.js')
    return await startNode([...nodeArgs, entry, kind, file], { processors })
  })
}

/** Headers that node:http adds. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive'])

async function record(
  url: string,
  path: string,
  kind: RecordedAnswer['kind'],
): Promise<RecordedAnswer> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url + path, { headers: requestHeaders(kind) }, resolve).once('error', reject)
  })
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  const names = answer.rawHeaders.filter((_, index) => index % 2 === 0)
  const headers = names.map(
    (name, index) => [name, answer.rawHeaders[2 * index + 1] ?? ''] as const,
  )
  return {
    path,
    kind,
    status: answer.statusCode ?? 0,
    headers: headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase())),
    bodyBase64: Buffer.concat(chunks).toString('base64'),
  }
}
