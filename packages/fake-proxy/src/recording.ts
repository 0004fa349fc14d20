import { readFileSync } from 'node:fs'

/** What a real proxy answered, as it was written down in `samples/<name>.json`: one answer or a list of them. For tests, which run from the sources. */
export function readRecording(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`samples/${name}.json`, import.meta.url), 'utf8'))
}
