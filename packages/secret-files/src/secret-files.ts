import { constants, promises as fs, type Stats } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import type { KeyFileProblem } from '@svc/core/service'

/** Problem and remedy for each reason a secret file is not used. */
export const secretFileProblems: Readonly<
  Record<KeyFileProblem, readonly [what: string, remedy: string]>
> = {
  missing: ['does not exist', 'Create the file, or correct KEY.'],
  unreadable: ['cannot be read', 'Let the user of the service read it.'],
  closed_folder: [
    'is in a folder that this user may not enter',
    'Let the user of the service enter the folders above it (chmod +x, or their group).',
  ],
  not_a_file: ['is not a regular file', 'Point KEY at a regular file.'],
  foreign_owner: [
    'belongs to another user, who could change it',
    'Give it to the user of this service, or to root (chown).',
  ],
  writable_by_others: [
    'can be written by other users, or its folder can',
    'Remove write permission for others from the file and the folders above it (chmod go-w).',
  ],
  too_large: ['is too large', 'Put nothing else into the file.'],
  empty: ['is empty', 'Fill the file, or correct KEY.'],
  utf16: ['is in UTF-16, as some editors of Windows write it', 'Save it as UTF-8.'],
  nul: ['holds NUL bytes', 'Write it again as plain text; something binary may be in its place.'],
  several_lines: ['holds several lines', 'Leave one line in the file, the secret alone.'],
  odd_characters: ['holds characters that cannot be sent', 'Write it again as plain text.'],
}

/** The text of a file, or the reason it is not used. `readableByOthers` is a warning, not a reason for refusal. */
export type SecretFileReading =
  | { readonly kind: 'text'; readonly text: string; readonly readableByOthers: boolean }
  | { readonly kind: 'problem'; readonly reason: KeyFileProblem }

/** Largest secret file. See docs/limits.md#files-with-secrets. */
const BYTES_MAX = 1024 * 1024

/** False on Windows, where modes have no meaning and are not checked. */
const hasModes = (constants.O_NOFOLLOW as number | undefined) !== undefined
/** Flags that neither follow a final link nor block on a pipe. */
const OPEN_FLAGS = hasModes
  ? constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  : constants.O_RDONLY

const WRITABLE_BY_OTHERS = 0o022
const READABLE_BY_OTHERS = 0o004
const ENTERED_BY_OTHERS = 0o001
const WRITABLE_BY_GROUP = 0o020
const WRITABLE_BY_ALL = 0o002
const STICKY = 0o1000

/**
 * Reads a file that holds a secret. The service and `doctor` apply the same rule to every such file: only its owner may change the file or replace
 * it. Never throws; a problem repeats nothing of the content. See docs/limits.md#files-with-secrets.
 */
export async function readSecretFile(
  path: string,
  bytesMax = BYTES_MAX,
): Promise<SecretFileReading> {
  return await reading(async () => {
    const linked = (await fs.lstat(path)).isSymbolicLink()
    const target = await fs.realpath(path)
    // Container platforms mount secrets through links, so the folder of the link's target must be safe as well.
    if (linked) await checkFolders(await fs.realpath(dirname(path)), isOursOrRoots)
    return await readTrusted(target, isOursOrRoots, bytesMax)
  })
}

/** Reads a file with a secret of one line. Returns the line without line breaks; blank lines around it do not count. */
export async function readSecretLine(path: string): Promise<SecretFileReading> {
  const reading = await readSecretFile(path)
  if (reading.kind === 'problem') return reading
  const text = onlyLineOf(reading.text)
  return text === null ? { kind: 'problem', reason: 'several_lines' } : { ...reading, text }
}

/** The only line of a text that is not blank; empty if there is none, null if there are several. */
export function onlyLineOf(text: string): string | null {
  const [first = '', ...others] = text.split(/[\r\n]+/).filter((line) => line.trim() !== '')
  return others.length === 0 ? first : null
}

/**
 * Reads an account's auth file in the proxy's auth directory or a folder below it, which may belong to the proxy's user. A name or a link that leads out of
 * the directory counts as missing.
 */
export async function readAuthFile(authDir: string, authName: string): Promise<SecretFileReading> {
  if (!authName.endsWith('.json') || normalize(authName).startsWith('..'))
    return { kind: 'problem', reason: 'missing' }
  return await reading(async () => {
    const root = await fs.realpath(authDir)
    const target = await fs.realpath(join(root, authName))
    if (!target.startsWith(root.endsWith(sep) ? root : root + sep)) throw new RefusedFile('missing')
    const { uid: proxyUser } = await fs.stat(root)
    return await readTrusted(target, (uid) => uid === proxyUser || isOursOrRoots(uid))
  })
}

/** Whether a file is refused because others could have changed it. */
export function isUntrusted(reason: KeyFileProblem): boolean {
  return reason === 'foreign_owner' || reason === 'writable_by_others'
}

/** Reads a regular file that holds no secret. */
export async function readPlainFile(path: string): Promise<SecretFileReading> {
  return await reading(async () => await readRegularFile(await fs.realpath(path), () => undefined))
}

class RefusedFile extends Error {
  readonly reason: KeyFileProblem

  constructor(reason: KeyFileProblem) {
    super(`the file is refused: ${reason}`)
    this.reason = reason
  }
}

async function reading(
  read: () => Promise<{ readonly text: string; readonly mode: number }>,
): Promise<SecretFileReading> {
  try {
    const { text, mode } = await read()
    if (text.trim() === '') return { kind: 'problem', reason: 'empty' }
    return { kind: 'text', text, readableByOthers: hasModes && (mode & READABLE_BY_OTHERS) !== 0 }
  } catch (error) {
    const reason = error instanceof RefusedFile ? error.reason : problemOf(error)
    return { kind: 'problem', reason }
  }
}

type TrustsOwner = (uid: number) => boolean

async function readTrusted(target: string, trusts: TrustsOwner, bytesMax = BYTES_MAX) {
  await checkFolders(dirname(target), trusts)
  const check = ({ mode, uid }: Stats) => {
    if (!hasModes) return
    if (!trusts(uid)) throw new RefusedFile('foreign_owner')
    if ((mode & WRITABLE_BY_OTHERS) !== 0) throw new RefusedFile('writable_by_others')
  }
  return await readRegularFile(target, check, bytesMax)
}

/** Reads from the checked descriptor, so that the file cannot be swapped in between. */
async function readRegularFile(path: string, check: (stats: Stats) => void, bytesMax = BYTES_MAX) {
  const file = await fs.open(path, OPEN_FLAGS)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new RefusedFile('not_a_file')
    check(stats)
    if (stats.size > bytesMax) throw new RefusedFile('too_large')
    return { text: textIn(await file.readFile()), mode: stats.mode }
  } finally {
    await file.close()
  }
}

/** Decodes UTF-8 text, without its byte order mark. Throws RefusedFile: utf16, nul. */
function textIn(bytes: Buffer): string {
  const isMarked = /^(?:fffe|feff)/.test(bytes.toString('hex', 0, 2))
  // Without a mark, each second byte of letters and digits is zero.
  const [even, odd] = [0, 1].map((start) =>
    bytes.every((byte, at) => at % 2 !== start || byte === 0),
  )
  if (isMarked || (bytes.length > 1 && even !== odd)) throw new RefusedFile('utf16')
  if (bytes.includes(0)) throw new RefusedFile('nul')
  return new TextDecoder().decode(bytes)
}

/**
 * Refuses a path with folders that others can write to, because they could replace the file. Sticky folders pass; the owner of every folder must be
 * trusted.
 */
async function checkFolders(first: string, trusts: TrustsOwner): Promise<void> {
  if (!hasModes) return
  for (let folder = first; ; folder = dirname(folder)) {
    const { mode, uid, gid } = await fs.stat(folder)
    // Our own user's group, which usually has no other member, is trusted with folders.
    const isForeignGroup = gid !== 0 && gid !== process.getgid?.()
    const writers = isForeignGroup ? WRITABLE_BY_ALL | WRITABLE_BY_GROUP : WRITABLE_BY_ALL
    const replaceable = (mode & writers) !== 0 && (mode & STICKY) === 0
    if (replaceable || !trusts(uid)) throw new RefusedFile('writable_by_others')
    if (folder === dirname(folder)) return
  }
}

function isOursOrRoots(uid: number): boolean {
  return uid === 0 || uid === process.getuid?.()
}

/** Whether every user of this machine can read a file; false on Windows and for a file that cannot be read. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  return hasModes && ((await modeOf(path)) & READABLE_BY_OTHERS) !== 0
}

/** Whether every user of this machine can read one of the auth files in a folder. */
export async function hasAuthFilesReadableByOthers(authDir: string): Promise<boolean> {
  if (!hasModes || ((await modeOf(authDir)) & ENTERED_BY_OTHERS) === 0) return false
  const names = await fs.readdir(authDir, { recursive: true }).catch(() => [])
  for (const name of names)
    if (name.endsWith('.json') && (await isReadableByOthers(join(authDir, name)))) return true
  return false
}

/** Mode bits of a file or folder; 0 if it cannot be read. */
async function modeOf(path: string): Promise<number> {
  return await fs.stat(path).then(
    ({ mode }) => mode,
    () => 0,
  )
}

function problemOf(error: unknown): KeyFileProblem {
  const { code = '', syscall = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  // The file itself is refused when it is opened, a folder above it before that.
  if (code === 'EACCES' && syscall !== 'open') return 'closed_folder'
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing'
  return code === 'EISDIR' || code === 'ENXIO' ? 'not_a_file' : 'unreadable'
}
