/** A name of a file as a terminal may show it: what would move its cursor or break the line is written as an escape. */
export function printable(name: string): string {
  return name.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
