import { type KeyFileProblem, Redacted } from '@svc/core/service'
import { onlyLineOf, readSecretFile } from '@svc/secret-files'

/** Content of a key file, or the reason it is not used. `readableByOthers` is a warning, not a reason to refuse it. */
export type KeyFileReading =
  | { readonly kind: 'key'; readonly key: Redacted; readonly readableByOthers: boolean }
  | { readonly kind: 'problem'; readonly reason: KeyFileProblem }

/** Characters a header value can carry. */
const KEY_TEXT = /^[\x20-\x7e]+$/

/** Reads the file that holds the management key. Never throws; a problem names its kind, never the content. */
export async function readKeyFile(path: string): Promise<KeyFileReading> {
  const reading = await readSecretFile(path)
  return reading.kind === 'text' ? keyFromText(reading.text, reading.readableByOthers) : reading
}

/** Trims a key and checks that it can be sent. */
export function keyFromText(text: string, readableByOthers: boolean): KeyFileReading {
  const key = onlyLineOf(text)?.trim()
  if (key === undefined) return { kind: 'problem', reason: 'several_lines' }
  if (key === '') return { kind: 'problem', reason: 'empty' }
  return KEY_TEXT.test(key)
    ? { kind: 'key', key: new Redacted(key), readableByOthers }
    : { kind: 'problem', reason: 'odd_characters' }
}
