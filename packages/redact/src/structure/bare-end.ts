/** The end of a value without quotes, or of a comment. */
export function bareEnd(text: string, at: number): number {
  const comment = text.startsWith('//', at) || text.charCodeAt(at) === 0x23
  if (comment) {
    const line = text.indexOf('\n', at)
    return line < 0 ? text.length : line
  }
  if (text.startsWith('/*', at)) {
    const end = text.indexOf('*/', at + 2)
    return end < 0 ? text.length : end + 2
  }
  let end = at + 1
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (
      code <= 0x20 ||
      code === 0x2c ||
      code === 0x3a ||
      code === 0x22 ||
      code === 0x5b ||
      code === 0x5d ||
      code === 0x7b ||
      code === 0x7d
    )
      break
  }
  return end
}
