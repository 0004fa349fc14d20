/** A word of a shell command. */
export function shellWord(value: string): string {
  return /^[\w./:@+,=-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
}

/** A word in a unit's line that systemd splits into words and unquotes. `%` would start a specifier. */
export function unitWord(value: string): string {
  const escaped = unitLine(value)
  return /[\s"'\\;]/.test(escaped) ? `'${escaped.replaceAll(/[\\']/g, '\\$&')}'` : escaped
}

/** The rest of a unit's line whose quotes systemd takes literally. `%` would start a specifier. */
export function unitLine(value: string): string {
  return value.replaceAll('%', '%%')
}

/** A command in a unit. `$` would start a variable, except in the program name, where systemd expands none. */
export function unitCommand([program = '', ...args]: readonly string[]): string {
  return [unitWord(program), ...args.map((arg) => unitWord(arg).replaceAll('$', '$$$$'))].join(' ')
}

/** Reason a unit cannot contain this path; null if it can. */
export function unitPathRefusal(path: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that would end a line of a unit, or that systemd refuses.
  if (/[\u0000-\u001f\u007f]/.test(path))
    return 'has a line break or another control character in its name'
  return /[\s\\]$/.test(path) ? 'ends in a blank or a backslash' : null
}
