import { existsSync, promises as fs } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { errorCodeOf } from '@svc/core/service'
import { collecting } from '../collect/configured.ts'
import { createCells } from '../database/cells.ts'
import {
  type DatabaseReading,
  rewriteDatabase,
  visitDatabase,
} from '../database/redact-database.ts'
import { type FileKind, readKind } from '../files/input.ts'
import { checkPlaces, makeFolder, type Place, placesIn } from '../files/places.ts'
import { redactTextFile } from '../files/redact-text.ts'
import type { CollectedValues } from '../known/collected-values.ts'
import { createKnownValues } from '../known/known-values.ts'
import { createPseudonyms, type Pseudonyms } from '../pseudonyms.ts'
import { RedactError } from '../redact-error.ts'
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
  readonly rewrite?: undefined | ((path: string, output: string) => Promise<void>)
}

/** Result of a run: one entry per file, and the counts of values. */
export interface RedactOutcome {
  readonly entries: readonly RedactedEntry[]
  readonly pseudonyms: Pseudonyms
  /** Number of values searched for; `leftOut` is the number beyond the memory limit. */
  readonly knownValues: number
  readonly leftOut: number
}

/** A file after the first pass: what it is, or why it has no copy. */
type Looked = { readonly place: Place } & (
  | { readonly kind: FileKind }
  | { readonly status: 'skipped' | 'refused'; readonly why: string }
)

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
  try {
    makeFolder(output)
  } catch (error) {
    throw new RedactError(`${output} cannot be written (${errorCodeOf(error)})`)
  }
  const entries: RedactedEntry[] = []
  for (const item of looked) {
    stop.throwIfAborted()
    const file = nameOfCopy(item.place.relative, redaction)
    entries.push(
      'kind' in item
        ? await writeChecked(item.place, item.kind, file, redaction, options)
        : { status: item.status, file, why: item.why },
    )
  }
  return { entries, pseudonyms, knownValues: values.length, leftOut: collected.leftOut }
}

/** First pass over one file. */
async function collectFile(place: Place, options: RedactOptions): Promise<Looked> {
  const { path, problem, relative } = place
  if (problem !== null) return { place, status: 'refused', why: problem }
  try {
    if ((await fs.lstat(path)).isSymbolicLink())
      return { place, status: 'skipped', why: 'is a link' }
    const database = /^(.*)-(?:wal|shm|journal)$/.exec(path)?.[1]
    if (database !== undefined && existsSync(database))
      return { place, status: 'skipped', why: 'belongs to a database' }
    const kind = await readKind(path, options.stop)
    const redaction = collecting(options.collected)
    await redactFile(readingOf(path, 'read', relative, options), kind, redaction, null)
    return { place, kind }
  } catch (error) {
    if (options.stop.aborted) throw error
    return { place, status: 'refused', why: reasonOf(error) }
  }
}

/** Writes a copy, and verifies it. */
async function writeChecked(
  { path }: Place,
  kind: FileKind,
  file: string,
  redaction: Redaction,
  options: RedactOptions,
): Promise<RedactedEntry> {
  const target = join(options.output, file)
  const unfinished = `${target}.unfinished`
  try {
    if (existsSync(target))
      return { status: 'refused', file, why: 'a copy of that name exists already' }
    makeFolder(dirname(target))
    await fs.rm(unfinished, { force: true })
    if (options.rewrite !== undefined) await options.rewrite(path, unfinished)
    else await redactFile(readingOf(path, 'written', file, options), kind, redaction, unfinished)
    if (await holdsKnown(readingOf(unfinished, 'checked', file, options), redaction.known))
      throw new RedactError('still held something known after it was redacted; no copy is left')
    options.stop.throwIfAborted()
    await fs.rename(unfinished, target)
    return { status: 'redacted', file, kind }
  } catch (error) {
    await fs.rm(unfinished, { force: true })
    if (options.stop.aborted) throw error
    return { status: 'refused', file, why: reasonOf(error) }
  }
}

/** A file that is read in one step of the run. */
function readingOf(
  path: string,
  step: 'read' | 'written' | 'checked',
  file: string,
  { temporaryFolder, stop, onProgress }: RedactOptions,
): DatabaseReading {
  return { path, temporaryFolder, stop, onRead: (bytes) => onProgress?.({ step, file, bytes }) }
}

/** Reads a file: writes its redacted copy, or only collects the values that it names as secrets. */
async function redactFile(
  reading: DatabaseReading,
  kind: FileKind,
  redaction: Redaction,
  output: string | null,
): Promise<void> {
  if (kind !== 'sqlite') return redactTextFile(reading, kind, redaction, output)
  const cells = createCells(redaction)
  if (output !== null) rewriteDatabase(reading, output, cells)
  else visitDatabase(reading, (...cell) => void cells.replaced(...cell))
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
      const stem = name.slice(0, name.length - ending.length)
      const isEndingKnown = redaction.known.find(name).some(({ end }) => end > stem.length)
      return isEndingKnown ? lines(name) : lines(stem) + ending
    })
    .join(sep)
}

function reasonOf(error: unknown): string {
  if (error instanceof RedactError) return error.message
  return `cannot be read or written (${errorCodeOf(error)})`
}
