import { promises as fs } from 'node:fs'
import { dirname } from 'node:path'
import { RedactError } from '../redact-error.ts'

/**
 * Makes a folder for its owner alone, with those on the way to it. Step by step: Node's own `recursive` goes on for ever where a file
 * system takes no folders, as in /proc. Throws RedactError.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await make(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new RedactError(`${path} cannot be written (${code})`)
  }
}

async function make(path: string): Promise<void> {
  const stats = await fs.stat(path).catch(() => null)
  if (stats?.isDirectory() === true) return
  if (dirname(path) !== path) await make(dirname(path))
  await fs.mkdir(path, { mode: 0o700 })
}
