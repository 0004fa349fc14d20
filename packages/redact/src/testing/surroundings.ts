/** What stands around a value in logs, URLs and code. */
export const surroundings: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => `found ${value} here`,
  (value) => `"${value}",`,
  (value) => `(${value})`,
  (value) => `id=${value}&x=1`,
  (value) => `see https://h.example/a/${value}/b`,
  (value) => `ends with ${value}.`,
  (value) => `\\n${value}\\n`,
  (value) => `prefix-${value}`,
]
