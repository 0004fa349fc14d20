import { dirname, isAbsolute, join, resolve } from 'node:path'
import { parse } from 'toml'
import type { ConfigProblem } from './config-error.ts'
import { type ConfigInput, type Given, shownRaw } from './config-input.ts'
import { settings } from './config-schema.ts'
import { nearestWord } from './near-word.ts'
import { CONFIG_ENV, MANAGEMENT_KEY_ENV } from './setting.ts'
import { tomlMistake } from './toml-mistake.ts'

/** What the config file gives, and every mistake in it. */
export interface ConfigFile {
  /** Null when there is none. */
  readonly path: string | null
  readonly givenByKey: ReadonlyMap<string, Given>
  readonly problems: readonly ConfigProblem[]
}

const APP_FOLDER = 'svc-quota-monitor'

/** The file in force. A named one must be readable; of the usual places the first that exists is taken. */
export function configFileOf(input: ConfigInput): ConfigFile {
  const fromEnv = input.env[CONFIG_ENV] ?? ''
  const named = input.configFlag ?? (fromEnv === '' || input.demo ? null : fromEnv)
  if (named === 'off') return NO_FILE
  if (named !== null) {
    const path = resolve(input.cwd, named)
    const place = input.configFlag === null ? CONFIG_ENV : '--config'
    return (
      fileAt(path, `config file from ${place}`, input) ??
      fileWith(path, 'missing_file', `config file from ${place} does not exist: ${path}`)
    )
  }
  if (input.demo) return NO_FILE
  const xdg = input.env.XDG_CONFIG_HOME ?? ''
  // The XDG specification has relative ones ignored.
  const home = isAbsolute(xdg) ? xdg : join(input.homeDir, '.config')
  for (const path of [
    join(home, APP_FOLDER, 'config.toml'),
    join('/etc', APP_FOLDER, 'config.toml'),
  ]) {
    const file = fileAt(path, 'config file', input)
    if (file !== null) return file
  }
  return NO_FILE
}

const NO_FILE: ConfigFile = { path: null, givenByKey: new Map(), problems: [] }

function fileWith(path: string, code: ConfigProblem['code'], message: string): ConfigFile {
  return { path, givenByKey: new Map(), problems: [{ code, message }] }
}

/** Null when there is no such file. */
function fileAt(path: string, what: string, { readTextFile }: ConfigInput): ConfigFile | null {
  let text: string
  try {
    text = readTextFile(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    return fileWith(path, 'unreadable_file', `${what} cannot be read (${code}): ${path}`)
  }
  const document = parseToml(path, text)
  if ('problems' in document) return document
  const givenByKey = new Map<string, Given>()
  const problems: ConfigProblem[] = []
  for (const [key, raw] of Object.entries(document.values)) {
    const place = `${path}${linePlace(text, key)}`
    const problem = keyProblem(key, raw, place)
    if (problem === null) givenByKey.set(key, { raw, source: 'file', place, folder: dirname(path) })
    else problems.push(problem)
  }
  return { path, givenByKey, problems }
}

const settingKeys: readonly string[] = settings.map(({ key }) => key)

function keyProblem(key: string, raw: unknown, place: string): ConfigProblem | null {
  if (key === 'management_key') {
    const message = `management_key from ${place}: a key may not stand in the config file; put it into a file named by management_key_file or into ${MANAGEMENT_KEY_ENV}`
    return { code: 'secret_not_allowed', message }
  }
  if (settingKeys.includes(key)) return null
  const isTable = typeof raw === 'object' && raw !== null && !Array.isArray(raw)
  const near = nearestWord(key, settingKeys)
  const expected = isTable
    ? 'keys at the top of the file, without a [table]'
    : (near ?? 'one of the keys that `svc-quota-monitor init config` prints')
  return {
    code: 'unknown_key',
    message: `unknown key ${shownRaw(key)} in ${place}: expected ${expected}`,
  }
}

function parseToml(
  path: string,
  text: string,
): { readonly values: Record<string, unknown> } | ConfigFile {
  try {
    return { values: parse(text) as Record<string, unknown> }
  } catch (error) {
    const { line, column } = positionOf(error)
    // The parser's own text quotes the file, which may hold what does not belong there.
    const reason = tomlMistake(text, line, column, error instanceof Error ? error.message : '')
    const place = `line ${line ?? 'unknown'}, column ${column ?? 'unknown'}`
    return fileWith(
      path,
      'invalid_toml',
      `config file is not valid TOML at ${place} (${reason}): ${path}`,
    )
  }
}

/** The parser names the place of syntax errors and of semantic errors differently. */
function positionOf(error: unknown): {
  readonly line: number | null
  readonly column: number | null
} {
  const found = error as {
    line?: number
    column?: number
    location?: { start?: { line?: number; column?: number } }
  } | null
  return {
    line: found?.line ?? found?.location?.start?.line ?? null,
    column: found?.column ?? found?.location?.start?.column ?? null,
  }
}

function linePlace(text: string, key: string): string {
  const index = text.split('\n').findIndex((line) => /^[\s["']*([\w-]*)/.exec(line)?.[1] === key)
  return index < 0 ? '' : ` line ${index + 1}`
}
