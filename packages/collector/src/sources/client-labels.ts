import { readSecretFile } from '@svc/secret-files'
import * as v from 'valibot'
import { jsonLines } from '../files/json-lines.ts'
import { SourceError, unreadableFile } from '../polling/source-error.ts'
import { nameFrom } from '../usage/record-fields.ts'
import type { UsageSink } from '../usage/usage-sink.ts'
import { displayText, documentOf } from '../wire/wire-fields.ts'
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

export interface LabelFile {
  /** Labels by API name. */
  readonly byName: ReadonlyMap<string, string>
  /** First line that gives a name another label (the later label wins), such as `line 3`; null if there is none. */
  readonly relabelledAt: string | null
}

/** Reads the client labels by API name. Throws SourceError: file_unreadable, file_untrusted, too_large, bad_payload. */
export async function readClientLabels(path: string): Promise<LabelFile> {
  const reading = await readSecretFile(path)
  if (reading.kind === 'problem') throw unreadableFile(reading.reason, 'the client-label file')
  return clientLabelsIn(reading.text)
}

/**
 * Parses the text of a label file. Several names may share a label. Throws SourceError: bad_payload; its message names the wrong entry, never its
 * content.
 */
export function clientLabelsIn(text: string): LabelFile {
  const parsed = v.safeParse(fileSchema, documentOf(text.replace(BYTE_ORDER_MARK, '')))
  if (!parsed.success) throw wrongFile(text, v.getDotPath(parsed.issues[0]))
  const byName = new Map<string, string>()
  let relabelledAt: string | null = null
  for (const [index, { apiName, api_name, label }] of parsed.output.clients.entries()) {
    const shown = displayText(label, LABEL_LENGTH_MAX)
    if ((apiName === undefined) === (api_name === undefined)) {
      throw wrongEntry(text, index, `clients.${index} needs one of apiName and api_name`)
    }
    if (shown === '') throw wrongEntry(text, index, `clients.${index}.label shows nothing`)
    const client = nameFrom(apiName ?? api_name)
    const before = byName.get(client)
    if (before !== undefined && before !== shown)
      relabelledAt ??= `line ${linesOf(text).elementLines[index]}`
    byName.set(client, shown)
  }
  return { byName, relabelledAt }
}

const SHAPE = 'it must be {"clients": [{"apiName": "…", "label": "…"}, …]}'

function wrongFile(text: string, path: string | null): SourceError {
  const { mistakeAt } = linesOf(text)
  if (mistakeAt !== null)
    return new SourceError('bad_payload', `client-label file, line ${mistakeAt}: no valid JSON`)
  return wrongEntry(
    text,
    Number(/^clients\.(\d+)/.exec(path ?? '')?.[1] ?? -1),
    path === null || path === 'clients' ? SHAPE : `${path} is not as it must be`,
  )
}

/** Failure of one entry, with its line if the entry can be located in the list. */
function wrongEntry(text: string, index: number, problem: string): SourceError {
  const line = linesOf(text).elementLines[index]
  return new SourceError(
    'bad_payload',
    `client-label file${line === undefined ? '' : `, line ${line}`}: ${problem}`,
  )
}

const linesOf = (text: string) => jsonLines(text.replace(BYTE_ORDER_MARK, ''), 'clients')
const BYTE_ORDER_MARK = /^\ufeff/

const PERIOD_SECONDS = 15

export interface ClientLabels {
  readonly clientCount: number
}

/** Creates the source that gives client labels to the sink. It is off without `path` or `sink`. */
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
    const { byName } = await readClientLabels(path)
    sink.useLabels(byName)
    return { clientCount: byName.size }
  }
  return createFileSource({ id: 'client_labels', periodSeconds: PERIOD_SECONDS, read }, deps)
}
