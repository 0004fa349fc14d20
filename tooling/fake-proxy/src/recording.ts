import { readFileSync } from 'node:fs'

/** Recorded answers of a real proxy from `samples/<name>.json`: one answer or a list. Only for tests, which run from the sources. */
export function readRecording(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`samples/${name}.json`, import.meta.url), 'utf8'))
}
