/** Whether a coding is among what the client takes, with a weight above 0. Source: RFC 9110 12.5.3. */
export function accepts(acceptEncoding: string | undefined, coding: 'br' | 'gzip'): boolean {
  if (acceptEncoding === undefined) return false
  if (acceptEncoding === coding) return true
  let any = false
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const refused = parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter))
    if (name === coding) return !refused
    if (name === '*') any = !refused
  }
  return any
}
