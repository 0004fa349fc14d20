import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '@svc/redact'
import * as v from 'valibot'
import { replaceFile, unfinishedOf } from './replace-file.ts'
import { type StartWayId, startWayIds } from './start-ways.ts'

/** A file that setup writes. */
export interface PlannedFile {
  readonly path: string
  readonly text: string
  readonly mode: number
  readonly what: string
}

const memorySchema = v.object({
  way: v.picklist(startWayIds),
  files: v.array(v.object({ path: v.string(), sha256: v.string() })),
  /** Folders that setup has made for others to write to. */
  folders: v.optional(v.array(v.string()), []),
})
type Memory = v.InferOutput<typeof memorySchema>

const memoryPath = (folder: string) => join(folder, 'setup.json')

/** Writes the files, and first of all which they are, so that `--remove` finds them also after an end in between. Throws the errors of node:fs. */
export function writeFiles(folder: string, way: StartWayId, files: readonly PlannedFile[]): void {
  const written = files.map(({ path, text }) => ({ path, sha256: digestOf(text) }))
  const earlier = (readMemory(folder)?.files ?? []).filter(
    ({ path }) => !written.some((one) => one.path === path),
  )
  const folders = readMemory(folder)?.folders ?? []
  writeMemory(folder, { way, files: [...earlier, ...written], folders })
  for (const { path, text, mode } of files) {
    makeFolder(dirname(path))
    replaceFile(path, text, mode)
  }
}

/** Makes a folder unless it is there. It is noted before, so that `--remove` removes it if it is empty. Throws the errors of node:fs. */
export function makeNotedFolder(folder: string, made: string): void {
  if (existsSync(made)) return
  const memory = readMemory(folder) ?? NOTHING
  writeMemory(folder, { ...memory, folders: [...memory.folders, made] })
  makeFolder(made)
}

function writeMemory(folder: string, memory: Memory): void {
  makeFolder(folder)
  replaceFile(memoryPath(folder), `${JSON.stringify(memory, null, 2)}\n`, 0o600)
}

const NOTHING: Memory = { way: 'none', files: [], folders: [] }

/** The way to run that setup has chosen, and its files; null if setup has written nothing here, or its note cannot be read. */
export function readMemory(folder: string): Memory | null {
  const path = memoryPath(folder)
  // Killed before the note was whole, it has written nothing else.
  if (!existsSync(path)) return existsSync(unfinishedOf(path)) ? NOTHING : null
  try {
    return v.parse(memorySchema, JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

/** Removes what setup has written and nobody has changed since, and folders of its own that are empty. Returns the paths of changed files, which stay. */
export function removeFiles(folder: string): readonly string[] {
  const memory = readMemory(folder)
  const files = memory?.files.filter(({ path }) => existsSync(path)) ?? []
  const isChanged = ({ path, sha256 }: (typeof files)[number]) =>
    digestOf(readFileSync(path, 'utf8')) !== sha256
  const kept = files.filter(isChanged)
  for (const file of files) if (!kept.includes(file)) rmSync(file.path)
  const paths = memory?.files.map(({ path }) => path) ?? []
  for (const path of [...paths, memoryPath(folder)]) rmSync(unfinishedOf(path), { force: true })
  rmSync(memoryPath(folder), { force: true })
  for (const path of [...(memory?.folders ?? []), folder]) removeEmptyFolder(path)
  return kept.map(({ path }) => path)
}

/** Removes a folder unless it is missing or something is in it. */
function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It stays.
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
