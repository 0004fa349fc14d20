import { promises as fs } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { createCsvStream } from './csv-stream.ts'
import { createJsonStream } from './json-stream.ts'
import { createKnownValues, type KnownValues } from './known-values.ts'
import { createPseudonyms, type Pseudonyms } from './pseudonyms.ts'
import { createRedactor, type Redactor, type Spot } from './redactor.ts'
import { createTextStream, type TextStream } from './text-stream.ts'

export type FileKind = 'json' | 'csv' | 'text' | 'sqlite'

/** A file that is not redacted, and why; the message names no content. */
export class RedactError extends Error {
  override readonly name = 'RedactError'
}

export interface RedactFileOptions {
  readonly input: string
  /** A file that does not exist; it is there only once it has been checked. */
  readonly output: string
  readonly known: KnownValues
  readonly pseudonyms: Pseudonyms
  readonly stop: AbortSignal
}

const PIECE_BYTES = 64 * 1024
const HEAD_BYTES = 64 * 1024
const SQLITE_HEAD = 'SQLite format 3\u0000'

/** Writes a redacted copy and checks it. Resolves with what it was taken for. Throws RedactError. */
export async function redactFile(options: RedactFileOptions): Promise<FileKind> {
  const { input, output, known, pseudonyms, stop } = options
  const kind = await kindOf(input)
  const unfinished = `${output}.unfinished`
  await fs.rm(unfinished, { force: true })
  try {
    if (kind === 'sqlite') await redactDatabaseFile(options, unfinished)
    else {
      const stream = streamOf(kind, createRedactor(known, pseudonyms))
      await copied(input, unfinished, stream, stop)
      await check(unfinished, kind, known, stop)
    }
    stop.throwIfAborted()
    await fs.rename(unfinished, output)
    return kind
  } catch (error) {
    await fs.rm(unfinished, { force: true })
    throw error
  }
}

/** By the content, and where that leaves a choice by the name. Throws RedactError for what is none of these. */
async function kindOf(path: string): Promise<FileKind> {
  const file = await fs.open(path, 'r')
  try {
    if (!(await file.stat()).isFile()) throw new RedactError('is no regular file')
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const head = buffer.subarray(0, bytesRead)
    if (head.toString('latin1', 0, SQLITE_HEAD.length) === SQLITE_HEAD) return 'sqlite'
    if (head.includes(0)) throw new RedactError('is neither text nor a database this program knows')
    const controls = head.filter(
      (byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x1b && byte !== 0x0c,
    ).length
    const invalid = (head.toString('utf8').match(/\ufffd/g) ?? []).length
    if (controls > head.length / 50 || invalid > head.length / 20)
      throw new RedactError('is neither text nor a database this program knows')
    const name = path.toLowerCase()
    if (/\.(?:csv|tsv)$/.test(name)) return 'csv'
    if (/\.(?:json|jsonl|ndjson|geojson|har)$/.test(name)) return 'json'
    return /\.(?:md|markdown|txt|text|log)$/.test(name) || !/^\ufeff?\s{0,64}[{[]\s{0,64}["{[\]}\d]/.test(head.toString('utf8'))
      ? 'text'
      : 'json'
  } finally {
    await file.close()
  }
}

function streamOf(kind: FileKind, redactor: Redactor): TextStream {
  if (kind === 'json') return createJsonStream(redactor)
  return kind === 'csv' ? createCsvStream(redactor) : createTextStream(redactor)
}

async function copied(input: string, output: string | null, stream: TextStream, stop: AbortSignal): Promise<void> {
  const source = await fs.open(input, 'r')
  const target = output === null ? null : await fs.open(output, 'wx', 0o600)
  try {
    const decoder = new StringDecoder('utf8')
    const bytes = Buffer.alloc(PIECE_BYTES)
    for (;;) {
      stop.throwIfAborted()
      const { bytesRead } = await source.read(bytes, 0, PIECE_BYTES)
      if (bytesRead === 0) break
      const shown = stream.push(decoder.write(bytes.subarray(0, bytesRead)))
      if (shown !== '') await target?.write(shown)
    }
    await target?.write(stream.push(decoder.end()) + stream.end())
    await target?.sync()
  } finally {
    await source.close()
    await target?.close()
  }
}

/** Looks through a copy once more: nothing may be left that would be replaced, and no known value in any form. Throws RedactError. */
async function check(path: string, kind: FileKind, known: KnownValues, stop: AbortSignal): Promise<void> {
  const found =
    (await leftIn(path, kind, createRedactor(known, createPseudonyms({ keepMap: false })), stop)) ??
    (await leftIn(path, 'text', knownOnly(known), stop))
  if (found !== null) throw new RedactError(`still holds something after it was redacted (${found}); no copy is left`)
}

/** The rule by which something would still be replaced; null when nothing would. */
async function leftIn(path: string, kind: FileKind, redactor: Redactor, stop: AbortSignal): Promise<string | null> {
  let rule: string | null = null
  const note = (text: string, spots = redactor.find(text)): string => {
    rule ??= spots[0]?.rule ?? null
    return text
  }
  const checking: Redactor = {
    find: redactor.find,
    text: note,
    field(name, value) {
      if (redactor.field(name, value) !== value) rule ??= `field ${name.slice(0, 32)}`
      return value
    },
  }
  await copied(path, null, streamOf(kind, checking), stop)
  return rule
}

/** Sees what is certain, and nothing that only looks like a secret. */
function knownOnly(known: KnownValues): Redactor {
  const find = (text: string) => known.find(text).map((hit): Spot => ({ ...hit, kind: 'known', rule: 'known value' }))
  return { find, text: (text) => text, field: (_, value) => value }
}

/** Longest text whose traces are looked for in the bytes of the copy. */
const TRACE_LENGTH_MAX = 4096

async function redactDatabaseFile({ input, known, pseudonyms, stop }: RedactFileOptions, unfinished: string): Promise<void> {
  const { HistoryError, redactDatabase } = await import('@svc/history')
  const redactor = createRedactor(known, pseudonyms)
  /** Everything that was replaced must be gone from the bytes as well, free pages included. */
  const traces = new Set<string>()
  try {
    redactDatabase({
      path: input,
      output: unfinished,
      redact(column, text) {
        const shown = redactor.field(column, text)
        if (shown !== text) for (const { value } of redactor.find(text)) traces.add(value.slice(0, TRACE_LENGTH_MAX))
        return shown
      },
    })
  } catch (error) {
    throw error instanceof HistoryError ? new RedactError(`cannot be copied: ${error.message}`) : error
  }
  for (const values of [createKnownValues(traces), known]) {
    if ((await leftIn(unfinished, 'text', knownOnly(values), stop)) !== null)
      throw new RedactError('still holds something after it was redacted; no copy is left')
  }
}
