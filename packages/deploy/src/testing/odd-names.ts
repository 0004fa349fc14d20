import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Names of folders that a shell, a unit or YAML could misread. */
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

/** Whether systemd can start a program with this name in its path. */
const isProgramName = (name: string) => !/["'\\]/.test(name)

/** A folder of this name in a new folder below `top`, and a program that systemd can start, inside the named folder if possible. */
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

/** Words of a unit's command, split by systemd's rules. */
export function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/(?:'(?:\\.|[^'])*'|[^\s'])+/g)].map(([word], index) => {
    const plain = word.replace(/\\(.)|'/g, '$1').replaceAll('%%', '%')
    return index === 0 ? plain : plain.replaceAll('$$', '$')
  })
}
