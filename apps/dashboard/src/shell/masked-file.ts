import { hideNames } from '../state/hidden-names.ts'
import { statsWords } from '../words/stats-words.ts'

/** Saves the file at this path of the API without names chosen by people; nothing if the monitor refuses. Rejects if it does not answer. */
export async function saveMasked(href: string): Promise<void> {
  const answer = await fetch(href, { cache: 'no-store' })
  if (!answer.ok) return
  const type = answer.headers.get('Content-Type') ?? ''
  const text = await answer.text()
  const isJson = type.includes('json')
  const masked = isJson ? hideNamesInJson(text) : hideNamesInCsv(text)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([masked], { type }))
  link.download = `${statsWords.savedName}.${isJson ? 'json' : 'csv'}`
  link.click()
  URL.revokeObjectURL(link.href)
}

/** A CSV text with its fields masked by `hideNames`. */
export function hideNamesInCsv(csv: string): string {
  return csv.replace(/"((?:[^"]|"")*)"|[^",\r\n]+/g, (field, quoted: string | undefined) =>
    quoted === undefined
      ? hideNames(field)
      : `"${hideNames(quoted.replaceAll('""', '"')).replaceAll('"', '""')}"`,
  )
}

/** A JSON text with its strings masked by `hideNames`; member names stay. Throws SyntaxError for invalid JSON. */
export function hideNamesInJson(json: string): string {
  return JSON.stringify(
    JSON.parse(json, (_, value: unknown) => (typeof value === 'string' ? hideNames(value) : value)),
    null,
    2,
  )
}
