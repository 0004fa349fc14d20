/**
 * Parts of a path that a shell, systemd or Windows replaces: `~`, `%h` and variables at its start, the name of the user anywhere. A folder may
 * really have such a name, so anything else in the middle is taken literally.
 */
const REPLACED_ELSEWHERE = [
  /^(~)/,
  /^(%[a-zA-Z])(?=[\\/]|$)/,
  /^(%[A-Z_]+%)/,
  // A name in capitals is a variable; anything else might be part of a secret, entered in place of its file.
  /^(\$\{[A-Z_]+\}|\$[A-Z_]+)(?=\W|$)/,
  /^(\$)[{(A-Za-z_]/,
  /[\\/](\$\{(?:USER|LOGNAME)\}|\$(?:USER|LOGNAME)|%USERNAME%)(?=[\\/]|$)/,
]

/** The refusal of a path that was meant for a shell; null for any other. A file of such a name is reached by `./`. */
export function unexpandedIn(path: string): string | null {
  const part = REPLACED_ELSEWHERE.map((form) => form.exec(path)?.[1]).find((found) => found)
  return part === undefined ? null : `\`${part}\` is not expanded here: write the whole path`
}
