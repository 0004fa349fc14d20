import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { resolveConfig } from '@svc/config'
import { errorCodeOf } from '@svc/core/service'
import { type Artifact, artifacts, type Installation, installationOf } from '@svc/deploy'
import { makeFolder } from '@svc/redact'
import { replaceFile } from '@svc/setup/replace-file'
import { type CliContext, EXIT, failure, usageError } from '../program/cli-context.ts'
import { configInput, isOn, type ParsedOptions } from '../program/flags.ts'

/** Prints one artifact, writes all of them, or lists them. Resolves with the exit code; throws ConfigError. */
export function init(options: ParsedOptions, context: CliContext, asked?: string): number {
  const { nodePath, programPath, version, homeDir } = context
  const folder = options.write?.at(-1)
  const artifact = artifacts.find(({ id }) => id === asked)
  if (asked !== undefined && artifact === undefined) {
    return usageError(
      context,
      `there is no artifact ${JSON.stringify(asked)}: ${artifacts.map(({ id }) => id).join(', ')}`,
    )
  }
  if (folder !== undefined && asked !== undefined)
    return usageError(context, 'init prints one artifact, or writes all with --write <dir>')
  const installation = installationOf(resolveConfig(configInput(options, context)), {
    version,
    nodePath,
    programPath,
    homeDir,
  })
  if (artifact !== undefined) {
    if (isRefused(artifact, installation, context)) return EXIT.failed
    context.stdout(artifact.text(installation))
    return EXIT.ok
  }
  if (folder === undefined) {
    context.stdout(listOf(artifacts))
    return EXIT.ok
  }
  return writeAll(resolve(context.cwd, folder), installation, isOn(options.force), context)
}

function listOf(all: readonly Artifact[]): string {
  const width = Math.max(...all.map(({ id }) => id.length))
  const lines = all.map(({ id, file, what }) => `  ${id.padEnd(width)}  ${file}: ${what}\n`)
  return `init <artifact> prints one, init --write <dir> writes all:\n\n${lines.join('')}`
}

function isRefused(
  { file, refusal }: Artifact,
  installation: Installation,
  context: CliContext,
): boolean {
  const why = refusal(installation)
  if (why !== null) failure(context, `${file} is not made: ${why}`)
  return why !== null
}

/** Writes all artifacts that this installation supports, and prints a line for each of the others. Writes none if one of the files exists. */
function writeAll(
  folder: string,
  installation: Installation,
  isForced: boolean,
  context: CliContext,
): number {
  const existing = artifacts.find(({ file }) => existsSync(join(folder, file)))
  if (existing !== undefined && !isForced) {
    const path = join(folder, existing.file)
    return failure(context, `${path} exists already: --force writes over it`)
  }
  const made = artifacts.filter((artifact) => !isRefused(artifact, installation, context))
  try {
    makeFolder(folder)
    for (const { file, mode, text } of made)
      replaceFile(join(folder, file), text(installation), mode)
  } catch (error) {
    return failure(context, `${folder} cannot be written (${errorCodeOf(error)})`)
  }
  context.stdout(`${made.map(({ file }) => join(folder, file)).join('\n')}\n`)
  return EXIT.ok
}
