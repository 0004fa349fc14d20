import { constants, promises as fs, type Stats } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { type KeyFileProblem, Redacted } from '@svc/core/service'

/** What a key file holds. `readableByOthers` is a warning, not a reason to refuse it. */
export type KeyFileReading =
  | { readonly kind: 'key'; readonly key: Redacted; readonly readableByOthers: boolean }
  | { readonly kind: 'problem'; readonly reason: KeyFileProblem }

/** No secret file is larger. See docs/limits.md#files-with-secrets. */
const BYTES_MAX = 1024 * 1024

/** Absent on Windows, where modes mean nothing and are not checked. */
const hasModes = (constants.O_NOFOLLOW as number | undefined) !== undefined
/** Does not follow a link at the end, and does not hang on a pipe. */
const OPEN_FLAGS = hasModes
  ? constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  : constants.O_RDONLY

const WRITABLE_BY_OTHERS = 0o022
const READABLE_BY_OTHERS = 0o004
const ENTERED_BY_OTHERS = 0o001
const WRITABLE_BY_GROUP = 0o020
const WRITABLE_BY_ALL = 0o002
const STICKY = 0o1000

/** What can stand in a header. */
const KEY_TEXT = /^[\x20-\x7e]+$/

/** What a file with a secret of any alphabet is like; a problem names its kind. Never throws, and hands on nothing of the content. */
export async function inspectSecretFile(
  path: string,
): Promise<{ readonly readableByOthers: boolean } | { readonly problem: KeyFileProblem }> {
  try {
    const { text, mode } = await readSecret(path)
    return text.trim() === ''
      ? { problem: 'empty' }
      : { readableByOthers: hasModes && (mode & READABLE_BY_OTHERS) !== 0 }
  } catch (error) {
    return { problem: error instanceof RefusedFile ? error.reason : problemOf(codeOf(error)) }
  }
}

/** Reads the file that holds the management key. Never throws; a problem names its kind, never the content. See docs/limits.md#files-with-secrets. */
export async function readKeyFile(path: string): Promise<KeyFileReading> {
  try {
    const { text, mode } = await readSecret(path)
    return keyFromText(text, hasModes && (mode & READABLE_BY_OTHERS) !== 0)
  } catch (error) {
    return {
      kind: 'problem',
      reason: error instanceof RefusedFile ? error.reason : problemOf(codeOf(error)),
    }
  }
}

/** A key as it was written down, checked to be one that can be sent. */
export function keyFromText(text: string, readableByOthers: boolean): KeyFileReading {
  const key = text.trim()
  if (key === '') return { kind: 'problem', reason: 'empty' }
  return KEY_TEXT.test(key)
    ? { kind: 'key', key: new Redacted(key), readableByOthers }
    : { kind: 'problem', reason: 'unreadable' }
}

export class RefusedFile extends Error {
  readonly reason: KeyFileProblem

  constructor(reason: KeyFileProblem) {
    super(`the file is refused: ${reason}`)
    this.reason = reason
  }
}

async function readSecret(path: string): Promise<{ readonly text: string; readonly mode: number }> {
  const linked = (await fs.lstat(path)).isSymbolicLink()
  const target = await fs.realpath(path)
  await checkDirectories(dirname(target))
  // Container platforms mount secrets through links: then the folder of the link must be in safe hands as well.
  if (linked) await checkDirectories(await fs.realpath(dirname(path)))
  return await readRegularFile(target, ({ mode, uid }) => {
    if (!hasModes) return
    if (!isOursOrRoots(uid)) throw new RefusedFile('foreign_owner')
    if ((mode & WRITABLE_BY_OTHERS) !== 0) throw new RefusedFile('writable_by_others')
  })
}

/** Text of a regular file that holds no secret, 1 MiB at most. Throws RefusedFile, or what the file system says. */
export async function readPlainFile(path: string): Promise<string> {
  return (await readRegularFile(await fs.realpath(path), () => undefined)).text
}

/** Reads from the descriptor that was checked, so that the file cannot be swapped in between. */
async function readRegularFile(path: string, check: (stats: Stats) => void) {
  const file = await fs.open(path, OPEN_FLAGS)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new RefusedFile('not_a_file')
    check(stats)
    if (stats.size > BYTES_MAX) throw new RefusedFile('too_large')
    return { text: await file.readFile('utf8'), mode: stats.mode }
  } finally {
    await file.close()
  }
}

/** Who can write to a folder on the way can put another file in place, unless the folder is sticky; its owner can in any case. */
async function checkDirectories(directory: string): Promise<void> {
  if (!hasModes) return
  for (let folder = directory; ; folder = dirname(folder)) {
    const { mode, uid, gid } = await fs.stat(folder)
    // The group of our own user, which user accounts usually have to themselves, is trusted with folders.
    const isForeignGroup = gid !== 0 && gid !== process.getgid?.()
    const writers = isForeignGroup ? WRITABLE_BY_ALL | WRITABLE_BY_GROUP : WRITABLE_BY_ALL
    const replaceable = (mode & writers) !== 0 && (mode & STICKY) === 0
    if (replaceable || !isOursOrRoots(uid)) throw new RefusedFile('writable_by_others')
    if (folder === dirname(folder)) return
  }
}

function isOursOrRoots(uid: number): boolean {
  return uid === 0 || uid === process.getuid?.()
}

/** Whether every user of this machine can read a file; false where modes mean nothing, and for a file that cannot be looked at. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  return hasModes && ((await modeOf(path)) & READABLE_BY_OTHERS) !== 0
}

/** Whether every user of this machine can read one of the auth files in a folder. */
export async function hasAuthFilesReadableByOthers(authDir: string): Promise<boolean> {
  if (!hasModes || ((await modeOf(authDir)) & ENTERED_BY_OTHERS) === 0) return false
  const names = await fs.readdir(authDir).catch(() => [])
  for (const name of names)
    if (name.endsWith('.json') && (await isReadableByOthers(join(authDir, name)))) return true
  return false
}

/** Rights of a file or folder; none of one that cannot be looked at. */
async function modeOf(path: string): Promise<number> {
  return await fs.stat(path).then(
    ({ mode }) => mode,
    () => 0,
  )
}

function problemOf(code: string): KeyFileProblem {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing'
  return code === 'EISDIR' || code === 'ENXIO' ? 'not_a_file' : 'unreadable'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Text of an account's own file in the auth directory, or null when there is no such regular file inside it. */
export async function readAuthFile(authDir: string, authName: string): Promise<string | null> {
  if (basename(authName) !== authName || !authName.endsWith('.json')) return null
  try {
    const root = await fs.realpath(authDir)
    const target = await fs.realpath(join(root, authName))
    if (!target.startsWith(root.endsWith(sep) ? root : root + sep)) return null
    return (await readRegularFile(target, () => undefined)).text
  } catch {
    return null
  }
}
