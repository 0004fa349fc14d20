import * as v from 'valibot'
import { jsonLines } from '../files/json-lines.ts'
import { RefusedFile, readPlainFile } from '../files/local-files.ts'
import { SourceError } from '../polling/source-error.ts'
import { nameFrom } from '../usage/record-fields.ts'
import type { UsageSink } from '../usage/usage-sink.ts'
import { displayText } from '../wire/display-text.ts'
import { createFileSource, offSource, type Source, type SourceListeners } from './source.ts'

const LABEL_LENGTH_MAX = 120
const CLIENTS_MAX = 10_000

const name = v.optional(v.pipe(v.string(), v.nonEmpty()))
const fileSchema = v.object({
  clients: v.pipe(
    v.array(v.object({ apiName: name, api_name: name, label: v.pipe(v.string(), v.nonEmpty()) })),
    v.maxLength(CLIENTS_MAX),
  ),
})

/**
 * Reads the labels of clients by API name. Several names may share a label. Throws SourceError: file_unreadable, too_large, bad_payload; its message
 * says which entry is wrong and never what it holds.
 */
export async function readClientLabels(path: string): Promise<ReadonlyMap<string, string>> {
  const text = await readPlainFile(path).catch((error: unknown) => {
    throw error instanceof RefusedFile && error.reason === 'too_large'
      ? new SourceError('too_large', 'the client-label file is too large')
      : new SourceError('file_unreadable', 'the client-label file cannot be read')
  })
  const parsed = v.safeParse(fileSchema, documentOf(text))
  if (!parsed.success) throw wrongFile(text, v.getDotPath(parsed.issues[0]))
  const labels = new Map<string, string>()
  for (const [index, { apiName, api_name, label }] of parsed.output.clients.entries()) {
    const shown = displayText(label, LABEL_LENGTH_MAX)
    if ((apiName === undefined) === (api_name === undefined)) {
      throw wrongEntry(text, index, `clients.${index} needs one of apiName and api_name`)
    }
    if (shown === '') throw wrongEntry(text, index, `clients.${index}.label shows nothing`)
    labels.set(nameFrom(apiName ?? api_name), shown)
  }
  return labels
}

function wrongFile(text: string, path: string | null): SourceError {
  const { mistakeAt } = linesOf(text)
  if (mistakeAt !== null)
    return new SourceError('bad_payload', `client-label file, line ${mistakeAt}: no valid JSON`)
  return wrongEntry(
    text,
    Number(/^clients\.(\d+)/.exec(path ?? '')?.[1] ?? -1),
    `${path ?? 'the document'} is not as it must be`,
  )
}

/** An index that is not in the list has no line. */
function wrongEntry(text: string, index: number, problem: string): SourceError {
  const line = linesOf(text).elementLines[index]
  return new SourceError(
    'bad_payload',
    `client-label file${line === undefined ? '' : `, line ${line}`}: ${problem}`,
  )
}

const linesOf = (text: string) => jsonLines(text.replace(BYTE_ORDER_MARK, ''), 'clients')
const BYTE_ORDER_MARK = /^\ufeff/

/** Null unless it is JSON. */
function documentOf(text: string): unknown {
  try {
    return JSON.parse(text.replace(BYTE_ORDER_MARK, ''))
  } catch {
    return null
  }
}

const PERIOD_SECONDS = 15

/** How many clients have a label. */
export interface ClientLabels {
  readonly clientCount: number
}

/** The labels of clients, given to the sink; `path` and `sink` null for none. */
export function createClientLabelsSource(
  {
    path,
    sink,
  }: { readonly path: string | null; readonly sink: Pick<UsageSink, 'useLabels'> | null },
  deps: SourceListeners,
): Source<ClientLabels> {
  if (path === null) return offSource('client_labels', 'not_configured')
  if (sink === null) return offSource('client_labels', 'no_store')
  const read = async () => {
    const labels = await readClientLabels(path)
    sink.useLabels(labels)
    return { clientCount: labels.size }
  }
  return createFileSource({ id: 'client_labels', periodSeconds: PERIOD_SECONDS, read }, deps)
}
