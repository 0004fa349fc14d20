import { readFileSync } from 'node:fs'

/** What the encoders of JavaScript, Python, Go, Java and a shell made of the same values; recorded with the real tools. */
export const vectors = JSON.parse(
  readFileSync(new URL('encoder-vectors.json', import.meta.url), 'utf8'),
) as {
  readonly values: readonly string[]
  readonly encoders: Readonly<Record<string, readonly string[]>>
}
