import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isStoreError, storeErrorText } from '@svc/views/messages'
import type { BundlePart } from './parts.ts'

/** Result for one part of a bundle. */
export interface PartOutcome {
  readonly file: string
  readonly about: string
  /** Reason the part is missing; null if it was written. */
  readonly missing: string | null
}

/** Writes each part into the folder. If a part cannot be made, its outcome has the reason. */
export async function gatherParts(
  parts: readonly BundlePart[],
  folder: string,
  stop: AbortSignal,
): Promise<readonly PartOutcome[]> {
  const outcomes: PartOutcome[] = []
  for (const { file, about, read } of parts) {
    stop.throwIfAborted()
    try {
      writeFileSync(join(folder, file), await read(), { mode: 0o600 })
      outcomes.push({ file, about, missing: null })
    } catch (error) {
      outcomes.push({ file, about, missing: reasonOf(error) })
    }
  }
  return outcomes
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  if (isStoreError(error)) return storeErrorText(error)
  return 'code' in error ? `cannot be read (${String(error.code)})` : error.message
}

/** README of a bundle: its files, what is missing and why. */
export function bundleReadme(
  outcomes: readonly PartOutcome[],
  notes: readonly string[],
  version: string,
): string {
  const lines = outcomes.map(
    ({ file, about, missing }) =>
      `${file.padEnd(16)}${about}${missing === null ? '' : ` (missing: ${missing})`}`,
  )
  return [
    `A bundle of svc-quota-monitor ${version}, for a report of a problem.`,
    '',
    'Secrets and personal data are replaced by pseudonyms. Equal values have equal pseudonyms within this bundle, and others in every other.',
    'Look through the files before you hand them on.',
    '',
    ...(notes.length === 0
      ? []
      : ['Not everything that is secret was known:', ...notes.map((note) => `- ${note}`), '']),
    ...lines,
    '',
  ].join('\n')
}

/** Text for the terminal. */
export function bundleReport(folder: string, outcomes: readonly PartOutcome[]): string {
  const lines = outcomes.map(({ file, missing }) =>
    missing === null ? `redacted  ${file}\n` : `missing   ${file}: ${missing}\n`,
  )
  return `${lines.join('')}\nWritten to ${folder}. Look through it before you hand it on.\n`
}
