import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { MANAGEMENT_KEY_ENV, resolveConfig } from '@svc/config'
import { examine } from '@svc/doctor'
import { createCollectedValues, RedactError, type RedactedEntry, redactFiles } from '@svc/redact'
import { bundleReadme, bundleReport, gatherParts } from '../bundle/gathered-parts.ts'
import { bundleParts } from '../bundle/parts.ts'
import { type CliContext, EXIT, failure, usageError } from '../program/cli-context.ts'
import { configInput, type ParsedOptions } from '../program/flags.ts'
import { printed } from '../program/outcome.ts'
import { collectConfigured, leftOutLines } from '../redact/secret-sources.ts'

/** Collects the parts of a problem report and writes them, redacted, into one folder. Resolves with the exit code. Throws ConfigError. */
export async function bundle(options: ParsedOptions, context: CliContext): Promise<number> {
  const output = options.output?.at(-1) || null
  if (output === null) return usageError(context, 'bundle needs --output <dir>')
  const folder = resolve(context.cwd, output)
  if (existsSync(folder))
    return failure(context, `${output} exists already: name a folder that does not`)
  const input = configInput(options, context)
  const resolved = resolveConfig(input)
  const { clock, fetch, nodeVersion } = context
  const findings = examine(input, { clock, fetch, nodeVersion })
  context.forgetEnv(MANAGEMENT_KEY_ENV)
  const logFile = options.log?.at(-1) || null
  const journalUnit = options.journal?.at(-1) || null
  const parts = bundleParts({ resolved, findings, logFile, journalUnit }, context)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) context.onSignal(signal, () => stop.abort())
  // Contains the unredacted parts and is removed at the end; the name is unpredictable and only this user can read the folder.
  const raw = mkdtempSync(join(tmpdir(), 'svc-quota-monitor-bundle-'))
  try {
    const gathered = await gatherParts(parts, raw, stop.signal)
    const collected = createCollectedValues()
    const notRead = await collectConfigured(resolved.config, context.env, collected, stop.signal)
    const { entries, leftOut } = await redactFiles({
      inputs: gathered.filter(({ missing }) => missing === null).map(({ file }) => join(raw, file)),
      output: folder,
      collected,
      keepMap: false,
      stop: stop.signal,
    })
    const outcomes = gathered.map((outcome) => ({
      ...outcome,
      missing: outcome.missing ?? refusalOf(outcome.file, entries),
    }))
    const notes = [...notRead, ...leftOutLines(leftOut)]
    writeFileSync(join(folder, 'README.txt'), bundleReadme(outcomes, notes, context.version), {
      mode: 0o600,
      flag: 'wx',
    })
    const isMissing = (file: string) =>
      outcomes.some((outcome) => outcome.file === file && outcome.missing !== null)
    // A log or journal requested by name must not be missing.
    const ok =
      entries.every(({ status }) => status === 'redacted') &&
      notes.length === 0 &&
      !isMissing('log.txt') &&
      !isMissing('journal.txt')
    for (const note of notes) failure(context, note)
    const document = { ok, folder, notes, files: outcomes }
    const text = () => bundleReport(folder, outcomes)
    return printed({ exit: ok ? EXIT.ok : EXIT.failed, document, text }, options, context)
  } catch (error) {
    const message = stop.signal.aborted ? 'stopped; what was collected is gone' : messageOf(error)
    if (message === null) throw error
    return failure(context, message)
  } finally {
    rmSync(raw, { recursive: true, force: true })
  }
}

function messageOf(error: unknown): string | null {
  if (error instanceof RedactError) return error.message
  if (error instanceof Error && 'code' in error)
    return error.code === 'EEXIST'
      ? 'the folder holds a bundle already: name another one'
      : `the bundle cannot be written (${String(error.code)})`
  return null
}

function refusalOf(file: string, entries: readonly RedactedEntry[]): string | null {
  const entry = entries.find((candidate) => candidate.file === file)
  if (entry === undefined) return 'was not redacted'
  return entry.status === 'redacted' ? null : entry.why
}
