import { dirname, isAbsolute, join, resolve } from 'node:path'
import {
  type ConfigInput,
  type ConfigProblem,
  type Given,
  shownRaw,
  unexpandedIn,
} from './config-input.ts'
import { settings } from './config-schema.ts'
import { nearestWord } from './near-word.ts'
import { CONFIG_ENV, MANAGEMENT_KEY_ENV } from './setting.ts'
import { type GivenTable, givenTables, type TableName, tableNames } from './tables.ts'
import { linePlace, tomlDocumentAt } from './toml-document.ts'

export interface ConfigFile {
  /** Null if there is no config file. */
  readonly path: string | null
  readonly givenByKey: ReadonlyMap<string, Given>
  readonly tables: Readonly<Partial<Record<TableName, readonly GivenTable[]>>>
  readonly problems: readonly ConfigProblem[]
}

const APP_FOLDER = 'svc-quota-monitor'

/** The configuration file in force. A file named by flag or variable must be readable; otherwise the first existing file in the usual places is used. */
export function configFileOf(input: ConfigInput): ConfigFile {
  const fromEnv = input.env[CONFIG_ENV] ?? ''
  const named = input.configFlag ?? (fromEnv === '' || input.demo ? null : fromEnv)
  if (named === 'off') return NO_FILE
  if (named !== null) {
    const path = resolve(input.cwd, named)
    const place = input.configFlag === null ? CONFIG_ENV : '--config'
    const why = unexpandedIn(named)
    if (why !== null)
      return fileWith(path, { code: 'invalid_value', message: `config file from ${place}: ${why}` })
    return (
      fileAt(path, `config file from ${place}`, input) ??
      fileWith(path, {
        code: 'missing_file',
        message: `config file from ${place} does not exist: ${path}`,
      })
    )
  }
  if (input.demo) return NO_FILE
  const xdg = input.env.XDG_CONFIG_HOME ?? ''
  // The XDG specification requires relative paths to be ignored.
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

const NO_FILE: ConfigFile = { path: null, givenByKey: new Map(), tables: {}, problems: [] }

function fileWith(path: string, problem: ConfigProblem): ConfigFile {
  return { ...NO_FILE, path, problems: [problem] }
}

/** Null if the file does not exist. */
function fileAt(path: string, what: string, { readTextFile }: ConfigInput): ConfigFile | null {
  const document = tomlDocumentAt(path, what, readTextFile)
  if (document === null) return null
  if ('problem' in document) return fileWith(path, document.problem)
  const givenByKey = new Map<string, Given>()
  const problems: ConfigProblem[] = []
  const tables: Partial<Record<TableName, readonly GivenTable[]>> = {}
  for (const name of tableNames) tables[name] = givenTables(name, path, document)
  for (const [key, raw] of Object.entries(document.values)) {
    if (tableNames.some((name) => name === key && tables[name]?.length !== 0)) continue
    const place = `${path}${linePlace(document.text, key)}`
    const problem = keyProblem(key, raw, place)
    if (problem === null) givenByKey.set(key, { raw, source: 'file', place, folder: dirname(path) })
    else problems.push(problem)
  }
  return { path, givenByKey, tables, problems }
}

const settingKeys: readonly string[] = settings.map(({ key }) => key)

function keyProblem(key: string, raw: unknown, place: string): ConfigProblem | null {
  if (key === 'management_key') {
    const message = `management_key from ${place}: a key may not stand in the config file; put it into a file named by management_key_file or into ${MANAGEMENT_KEY_ENV}`
    return { code: 'secret_not_allowed', message }
  }
  if (key === 'state_db_password') {
    const message = `state_db_password from ${place}: a password may not stand in the config file; put it into a file named by state_db_password_file`
    return { code: 'secret_not_allowed', message }
  }
  if (settingKeys.includes(key)) return null
  const isTable = typeof raw === 'object' && raw !== null && !Array.isArray(raw)
  const near = nearestWord(key, [...settingKeys, ...tableNames])
  const table = tableNames.find((name) => name === key || name === near)
  const expected =
    table !== undefined
      ? `tables [[${table}]]`
      : isTable
        ? 'keys at the top of the file, without a [table]'
        : (near ?? 'one of the keys that `svc-quota-monitor init config` prints')
  return {
    code: 'unknown_key',
    message: `unknown key ${shownRaw(key)} in ${place}: expected ${expected}`,
  }
}
