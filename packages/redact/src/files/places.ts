import { promises as fs } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { RedactError } from '../redact-error.ts'

/** A file of the run: where it is, and its path from the folder of what was named. */
export interface Place {
  readonly path: string
  readonly relative: string
}

const FILES_MAX = 100_000

/** Every file of what was named, in order. Links inside of folders are listed, and not followed. Throws RedactError. */
export async function placesIn(inputs: readonly string[]): Promise<readonly Place[]> {
  const places: Place[] = []
  const walk = async (path: string, relative: string): Promise<void> => {
    if (!(await fs.lstat(path)).isDirectory()) {
      places.push({ path, relative })
      if (places.length > FILES_MAX) throw new RedactError(`more than ${FILES_MAX.toLocaleString('en')} files: name fewer folders`)
      return
    }
    for (const name of (await fs.readdir(path)).sort()) await walk(join(path, name), join(relative, name))
  }
  for (const input of inputs) {
    // A link that was named itself is meant.
    const real = await fs.realpath(input)
    await walk(real, basename(resolve(input)))
  }
  return places
}

/** The copies are neither beside their originals nor inside of a folder that is copied. Throws RedactError. */
export async function checkPlaces(inputs: readonly string[], output: string): Promise<void> {
  const target = await realPath(resolve(output))
  for (const input of inputs) {
    const source = await fs.realpath(input).catch(() => {
      throw new RedactError(`${input} does not exist`)
    })
    const isFolder = (await fs.stat(source)).isDirectory()
    const isInside = isFolder ? `${target}${sep}`.startsWith(`${source}${sep}`) : target === dirname(source)
    if (isInside) throw new RedactError(`${output} is where the originals are: name a folder elsewhere`)
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
