import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Names of folders that a shell, a unit or YAML could read as something else. */
export const ODD_NAMES = [
  'my data',
  "o'brien",
  'a "b" c',
  '$(id)',
  '`id`',
  '$HOME',
  '$' + '{HOME}',
  '100%',
  '%h',
  'a\\b',
  'a;b',
  '#a',
  'Zoë',
  '-',
] as const
export const ALL_ODD_NAMES = ODD_NAMES.join(' ')

/** systemd starts no program with one of these in its path. */
const isProgramName = (name: string) => !/["'\\]/.test(name)

/** A folder of this name in a new folder below `top`, and a program that systemd would start, inside the named one if it can be. */
export function folderNamed(
  name: string,
  top: string,
): { readonly outside: string; readonly own: string; readonly node: string } {
  const outside = mkdtempSync(join(top, 'x-'))
  const own = join(outside, name)
  mkdirSync(own)
  const node = join(isProgramName(name) ? own : outside, 'node')
  symlinkSync(process.execPath, node)
  return { outside, own, node }
}

/** Words of a command of a unit, read as systemd does. */
export function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/(?:'(?:\\.|[^'])*'|[^\s'])+/g)].map(([word], index) => {
    const plain = word.replace(/\\(.)|'/g, '$1').replaceAll('%%', '%')
    return index === 0 ? plain : plain.replaceAll('$$', '$')
  })
}
