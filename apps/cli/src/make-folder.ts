import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder that nobody else may enter, and the folders above it that are missing. Throws what node:fs throws. Where a file system refuses a new
 * folder by saying that the one above does not exist, as /proc does, Node's own recursive call tries again without an end.
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}
