import { promises as fs, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join, parse, resolve, sep } from 'node:path'
import { errorCodeOf } from '@svc/core/service'
import { RedactError } from '../redact-error.ts'

/**
 * Creates a folder that only its owner may enter, and missing parent folders. Throws the errors of node:fs. Works step by step, because Node's own
 * `recursive` never returns on a file system that allows no folders, such as /proc.
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** A file of the run: its path, and its path relative to the folder of the input it belongs to. */
export interface Place {
  readonly path: string
  readonly relative: string
  /** Reason the file cannot be read; null if it can. */
  readonly problem: string | null
}

const FILES_MAX = 100_000

/** Every file of the inputs, in order. Links inside of folders are listed, and not followed. Throws RedactError. */
export async function placesIn(inputs: readonly string[]): Promise<readonly Place[]> {
  const places: Place[] = []
  const add = (path: string, relative: string, problem: string | null) => {
    places.push({ path, relative, problem })
    if (places.length > FILES_MAX)
      throw new RedactError(`more than ${FILES_MAX.toLocaleString('en')} files: name fewer folders`)
  }
  const walk = async (path: string, relative: string): Promise<void> => {
    const names = await namesIn(path)
    if (typeof names === 'string') add(path, relative, names)
    else if (names === null) add(path, relative, null)
    else for (const name of names) await walk(join(path, name), join(relative, name))
  }
  const taken = new Set<string>()
  for (const input of inputs) {
    // A link is followed if it was itself named as an input.
    const real = await fs.realpath(input)
    await walk(real, uniqueName(basename(resolve(input)), taken))
  }
  return places
}

/** The names in a folder; null if the path is no folder; a text with the reason if it cannot be read. */
async function namesIn(path: string): Promise<readonly string[] | string | null> {
  // The name cannot be addressed if its bytes are not text.
  if (path.includes('\ufffd')) return 'has a name that is not valid UTF-8'
  try {
    return (await fs.lstat(path)).isDirectory() ? (await fs.readdir(path)).sort() : null
  } catch (error) {
    return `cannot be read (${errorCodeOf(error)})`
  }
}

/** Adds a number to a name that is taken (`a.log`, `a-2.log`), because two folders may contain files of the same name. */
function uniqueName(name: string, taken: Set<string>): string {
  const { name: stem, ext } = parse(name)
  let unique = name
  for (let number = 2; taken.has(unique); number += 1) unique = `${stem}-${number}${ext}`
  taken.add(unique)
  return unique
}

/** Refuses an output folder beside the originals or inside a copied folder. Throws RedactError. */
export async function checkPlaces(inputs: readonly string[], output: string): Promise<void> {
  const target = await realPath(resolve(output))
  for (const input of inputs) {
    const source = await fs.realpath(input).catch((error: NodeJS.ErrnoException) => {
      throw new RedactError(
        error.code === 'ENOENT'
          ? `${input} does not exist`
          : `${input} cannot be read (${String(error.code)})`,
      )
    })
    const isFolder = (await fs.stat(source)).isDirectory()
    const isInside = isFolder
      ? `${target}${sep}`.startsWith(`${source}${sep}`)
      : target === dirname(source)
    if (isInside)
      throw new RedactError(`${output} is where the originals are: name a folder elsewhere`)
  }
}

async function realPath(path: string): Promise<string> {
  try {
    return await fs.realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await realPath(parent), basename(path))
  }
}
