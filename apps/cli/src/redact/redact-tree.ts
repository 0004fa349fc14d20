import { existsSync, promises as fs } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { makeFolder } from '../make-folder.ts'
import { createKnownValues } from './known-values.ts'
import { createPseudonyms, type Pseudonyms } from './pseudonyms.ts'
import { type FileKind, RedactError, redactFile } from './redact-file.ts'
import { createRedactor, type Redactor } from './redactor.ts'

/** What became of one file. Names are those of the copies, which are redacted as well. */
export type RedactedEntry =
  | { readonly status: 'redacted'; readonly file: string; readonly kind: FileKind }
  | { readonly status: 'skipped' | 'refused'; readonly file: string; readonly why: string }

export interface RedactTreeOptions {
  readonly inputs: readonly string[]
  readonly output: string
  readonly secrets: ReadonlySet<string>
  readonly keepMap: boolean
  readonly stop: AbortSignal
}

/** Copies files and folders, redacted, into a folder. Throws RedactError before anything is written when the folders do not fit. */
export async function redactTree(
  options: RedactTreeOptions,
): Promise<{ readonly entries: readonly RedactedEntry[]; readonly pseudonyms: Pseudonyms }> {
  const { inputs, output, secrets, keepMap, stop } = options
  await checkPlaces(inputs, output)
  const pseudonyms = createPseudonyms({ keepMap })
  const known = createKnownValues(secrets)
  // Names are redacted with the same stand-ins, but not counted as content.
  const names = createRedactor(known, pseudonyms)
  makeOutput(output)
  const entries: RedactedEntry[] = []
  for (const input of inputs) {
    const top = dirname(resolve(input))
    for await (const path of filesIn(input)) {
      stop.throwIfAborted()
      const file = nameOf(relative(top, path), names)
      entries.push(await redactEntry(path, join(output, file), file, { known, pseudonyms, stop }))
    }
  }
  return { entries, pseudonyms }
}

function makeOutput(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    throw new RedactError(`${folder} cannot be written (${codeOf(error)})`)
  }
}

async function redactEntry(
  input: string,
  output: string,
  file: string,
  context: Pick<Parameters<typeof redactFile>[0], 'known' | 'pseudonyms' | 'stop'>,
): Promise<RedactedEntry> {
  try {
    if ((await fs.lstat(input)).isSymbolicLink()) return { status: 'skipped', file, why: 'is a link' }
    if (/-(?:wal|shm|journal)$/.test(input) && existsSync(input.replace(/-(?:wal|shm|journal)$/, ''))) {
      return { status: 'skipped', file, why: 'belongs to a database' }
    }
    if (existsSync(output)) return { status: 'refused', file, why: 'a copy of that name exists already' }
    makeFolder(dirname(output))
    return { status: 'redacted', file, kind: await redactFile({ input, output, ...context }) }
  } catch (error) {
    if (context.stop.aborted) throw error
    const why = error instanceof RedactError ? error.message : `cannot be read or written (${codeOf(error)})`
    return { status: 'refused', file, why }
  }
}

async function* filesIn(path: string): AsyncGenerator<string> {
  const stats = await fs.lstat(path)
  if (!stats.isDirectory()) {
    yield path
    return
  }
  const names = (await fs.readdir(path)).sort()
  for (const name of names) yield* filesIn(join(path, name))
}

/** What a shell and every file system take. */
function nameOf(path: string, names: Redactor): string {
  return path
    .split(sep)
    .map((part) => names.text(part).replace(/<([a-z]+):([0-9a-f]+)>/g, '$1-$2'))
    .join(sep)
}

/** The copies stand neither beside their originals nor inside of a folder that is copied. */
async function checkPlaces(inputs: readonly string[], output: string): Promise<void> {
  const real = async (path: string): Promise<string> => {
    try {
      return await fs.realpath(path)
    } catch {
      const parent = dirname(path)
      return parent === path ? path : join(await real(parent), basename(path))
    }
  }
  const target = await real(resolve(output))
  for (const input of inputs) {
    const source = await fs.realpath(input).catch(() => {
      throw new RedactError(`${input} does not exist`)
    })
    const folder = (await fs.stat(source)).isDirectory() ? source : dirname(source)
    const isInside = (await fs.stat(source)).isDirectory() ? `${target}${sep}`.startsWith(`${folder}${sep}`) : target === folder
    if (isInside) throw new RedactError(`${output} is where the originals are: name a folder elsewhere`)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
