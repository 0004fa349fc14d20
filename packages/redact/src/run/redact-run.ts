import { existsSync, promises as fs } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { collecting } from '../collect/configured.ts'
import { createCells } from '../database/cells.ts'
import { rewriteDatabase, visitDatabase } from '../database/redact-database.ts'
import { type FileKind, fileKindOf, HEAD_BYTES, openInput } from '../files/input.ts'
import { checkPlaces, makeFolder, type Place, placesIn } from '../files/places.ts'
import { collectText, rewriteText } from '../files/redact-text.ts'
import type { CollectedValues } from '../known/collected-values.ts'
import { createKnownValues } from '../known/known-values.ts'
import { createPseudonyms, type Pseudonyms } from '../pseudonyms.ts'
import { errorCodeOf, RedactError } from '../redact-error.ts'
import { createLineRedactor, type Redaction } from '../redaction/redact-line.ts'
import { hiddenIn } from '../text/run.ts'
import { holdsKnown } from '../verify/verify-file.ts'

/** Result for one file. Names are those of the copies, which are redacted as well. */
export type RedactedEntry =
  | { readonly status: 'redacted'; readonly file: string; readonly kind: FileKind }
  | { readonly status: 'skipped' | 'refused'; readonly file: string; readonly why: string }

/** Progress of a run. */
export type Progress =
  | {
      readonly step: 'read' | 'written' | 'checked'
      readonly file: string
      /** Bytes of text; 0 for rows of a database. */
      readonly bytes: number
    }
  /** All files have been read, and the search for the collected values is being prepared; with many values this takes seconds. */
  | { readonly step: 'preparing' }

/** Inputs, output folder and known secrets of a run. */
export interface RedactOptions {
  readonly inputs: readonly string[]
  readonly output: string
  /** Values that the configuration leads to; values from the files are added. */
  readonly collected: CollectedValues
  readonly keepMap: boolean
  /** Folder for a copy of a database, made if reading would create files next to it. Without a folder the database is read in place. */
  readonly temporaryFolder?: undefined | string
  readonly stop: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  /** Writes the copy of a file. Tests of the verification replace this. */
  readonly rewrite?:
    | undefined
    | ((file: RunFile, output: string, context: Rewriting) => Promise<void>)
}

export interface Rewriting {
  readonly redaction: Redaction
  readonly temporaryFolder?: undefined | string
  readonly stop: AbortSignal
  readonly onRead: (bytes: number) => void
}

export interface RunFile {
  readonly path: string
  readonly kind: FileKind
}

/** Result of a run: one entry per file, and the counts of values. */
export interface RedactOutcome {
  readonly entries: readonly RedactedEntry[]
  readonly pseudonyms: Pseudonyms
  /** Number of values searched for; `leftOut` is the number beyond the memory limit. */
  readonly knownValues: number
  readonly leftOut: number
}

type Looked =
  | { readonly place: Place; readonly kind: FileKind }
  | { readonly place: Place; readonly status: 'skipped' | 'refused'; readonly why: string }

/**
 * Copies files and folders, redacted, into a folder. The passes are: collect secrets, write the copies, verify every copy. A copy that still contains
 * a known value is removed. Throws RedactError before anything is written if the folders are unsuitable.
 */
export async function redactFiles(options: RedactOptions): Promise<RedactOutcome> {
  const { inputs, output, collected, keepMap, stop, onProgress } = options
  await checkPlaces(inputs, output)
  const looked: Looked[] = []
  for (const place of await placesIn(inputs)) looked.push(await collectFile(place, options))
  onProgress?.({ step: 'preparing' })
  const values = collected.values()
  const pseudonyms = createPseudonyms({ keepMap })
  const redaction: Redaction = { known: createKnownValues(values), pseudonyms, collected: null }
  makeFolderForCopies(output)
  const entries: RedactedEntry[] = []
  for (const item of looked) {
    stop.throwIfAborted()
    const file = nameOfCopy(item.place.relative, redaction)
    entries.push(
      'kind' in item
        ? await writeChecked(item, file, { ...options, redaction })
        : { status: item.status, file, why: item.why },
    )
  }
  return { entries, pseudonyms, knownValues: values.length, leftOut: collected.leftOut }
}

/** First pass over one file. */
async function collectFile(
  place: Place,
  { collected, stop, onProgress, temporaryFolder }: RedactOptions,
): Promise<Looked> {
  if (place.problem !== null) return { place, status: 'refused', why: place.problem }
  try {
    if ((await fs.lstat(place.path)).isSymbolicLink())
      return { place, status: 'skipped', why: 'is a link' }
    const database = /^(.*)-(?:wal|shm|journal)$/.exec(place.path)?.[1]
    if (database !== undefined && existsSync(database))
      return { place, status: 'skipped', why: 'belongs to a database' }
    const input = await openInput(place.path)
    try {
      const kind = fileKindOf(place.path, await headOf(input))
      if (kind === 'sqlite') {
        const cells = createCells(collecting(collected))
        visitDatabase(
          {
            path: place.path,
            temporaryFolder,
            stop,
            onRows: () => onProgress?.({ step: 'read', file: place.relative, bytes: 0 }),
          },
          (table, column, value, row) => void cells.replaced(table, column, value, row),
        )
      } else {
        const onRead = (bytes: number) =>
          onProgress?.({ step: 'read', file: place.relative, bytes })
        await collectText({ input, kind, stop, onRead }, collecting(collected))
      }
      return { place, kind }
    } finally {
      await input.close()
    }
  } catch (error) {
    if (stop.aborted) throw error
    return { place, status: 'refused', why: reasonOf(error) }
  }
}

async function headOf(input: Awaited<ReturnType<typeof openInput>>): Promise<Buffer> {
  for await (const piece of input.pieces(new AbortController().signal))
    return piece.subarray(0, HEAD_BYTES)
  return Buffer.alloc(0)
}

interface Writing extends RedactOptions {
  readonly redaction: Redaction
}

async function writeChecked(
  { place, kind }: { readonly place: Place; readonly kind: FileKind },
  file: string,
  writing: Writing,
): Promise<RedactedEntry> {
  const { output, redaction, stop, onProgress, temporaryFolder, rewrite = rewriteFile } = writing
  const target = join(output, file)
  const unfinished = `${target}.unfinished`
  try {
    if (existsSync(target))
      return { status: 'refused', file, why: 'a copy of that name exists already' }
    makeFolderForCopies(dirname(target))
    await fs.rm(unfinished, { force: true })
    const onRead = (bytes: number) => onProgress?.({ step: 'written', file, bytes })
    await rewrite({ path: place.path, kind }, unfinished, {
      redaction,
      temporaryFolder,
      stop,
      onRead,
    })
    const onChecked = (bytes: number) => onProgress?.({ step: 'checked', file, bytes })
    if (await holdsKnown(unfinished, { known: redaction.known, stop, onRead: onChecked }))
      throw new RedactError('still held something known after it was redacted; no copy is left')
    stop.throwIfAborted()
    await fs.rename(unfinished, target)
    return { status: 'redacted', file, kind }
  } catch (error) {
    await fs.rm(unfinished, { force: true })
    if (stop.aborted) throw error
    return { status: 'refused', file, why: reasonOf(error) }
  }
}

/** Creates the folder if it is missing. Throws RedactError. */
function makeFolderForCopies(path: string): void {
  try {
    makeFolder(path)
  } catch (error) {
    throw new RedactError(`${path} cannot be written (${errorCodeOf(error)})`)
  }
}

/** Second pass over one file. */
async function rewriteFile(
  { path, kind }: RunFile,
  output: string,
  { redaction, temporaryFolder, stop, onRead }: Rewriting,
): Promise<void> {
  if (kind === 'sqlite') {
    rewriteDatabase(
      { path, temporaryFolder, stop, onRows: () => onRead(0) },
      output,
      createCells(redaction),
    )
    return
  }
  const input = await openInput(path)
  try {
    await rewriteText({ input, kind, stop, onRead }, output, redaction)
  } finally {
    await input.close()
  }
}

/** File extension, which is kept because it shows the kind of the file, and because it would be mistaken for a part of an address. */
const FILE_ENDING = /(?:\.(?:json|jsonl|log|txt|csv|tsv|ya?ml|toml|db|md|env|xml|html|conf))+$/i

/** Words in file names that are kept, in any language, so that users recognise the copies. */
const WORD_OF_NAME = /^\p{L}{1,16}\d{0,4}$/u

/** The redacted name of a copy. */
function nameOfCopy(relative: string, redaction: Redaction): string {
  const lines = createLineRedactor(redaction, (run) =>
    hiddenIn(run, (word) => WORD_OF_NAME.test(word)),
  )
  return relative
    .split(sep)
    .map((name) => {
      const ending = FILE_ENDING.exec(name)?.[0] ?? ''
      const isKnown = redaction.known
        .find(name)
        .some(({ end }) => end > name.length - ending.length)
      return isKnown
        ? lines.redacted(name)
        : lines.redacted(name.slice(0, name.length - ending.length)) + ending
    })
    .join(sep)
}

function reasonOf(error: unknown): string {
  if (error instanceof RedactError) return error.message
  return `cannot be read or written (${errorCodeOf(error)})`
}
