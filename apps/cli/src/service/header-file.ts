import { URL_HEADERS_FILE_ENV } from '@svc/config'
import { secretFileProblems } from '@svc/secret-files'
import type { CliContext } from '../program/cli-context.ts'
import { type ParsedOptions, wrongValue } from '../program/flags.ts'
import { pathIn } from '../program/store-location.ts'

/** `Name: value`, in signs that every server takes. */
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):[\t ]*([\t\x20-\x7e]*)$/
/** Say how a message is sent, which is not for a file to say. */
const FRAMING = /^(?:connection|content-length|expect|transfer-encoding|upgrade)$/i

/** Headers that a login in front of the service asks for, of the file that was named; none without one. Throws ConfigError, which repeats no value. */
export async function serviceHeaders(
  { headerFile }: ParsedOptions,
  context: CliContext,
): Promise<Readonly<Record<string, string>>> {
  const [what, given] =
    headerFile === undefined
      ? [URL_HEADERS_FILE_ENV, context.env[URL_HEADERS_FILE_ENV]]
      : ['--header-file', headerFile.at(-1)]
  const path = pathIn(context, given)
  if (path === null) return {}
  const { readSecretFile } = await import('@svc/secret-files')
  const reading = await readSecretFile(path)
  const wrong = (why: string) => wrongValue(`${what}: ${path} ${why}`)
  if (reading.kind === 'problem') throw wrong(secretFileProblems[reading.reason][0])
  if (reading.readableByOthers) throw wrong('can be read by other users: chmod 600 keeps it')
  const headers: Record<string, string> = {}
  for (const [at, line] of reading.text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [, name = '', value = ''] = HEADER.exec(line) ?? []
    if (name === '') throw wrong(`line ${at + 1}: a header as Name: value is needed`)
    if (FRAMING.test(name)) throw wrong(`line ${at + 1}: ${name} is set by the program alone`)
    if (Object.hasOwn(headers, name.toLowerCase()))
      throw wrong(`line ${at + 1}: ${name} is there already`)
    headers[name.toLowerCase()] = value.trim()
  }
  return headers
}
