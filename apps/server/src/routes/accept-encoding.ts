import type { Compression } from '@svc/monitor'

interface Accepted {
  readonly br: boolean
  readonly gzip: boolean
}

/** Most header values whose parsed form is remembered; there are only a few kinds of clients. */
const REMEMBERED_MAX = 64
const remembered = new Map<string, Accepted>()

/** Whether the client accepts a coding with a weight above 0. Source: RFC 9110 12.5.3. */
export function accepts(acceptEncoding: string | undefined, coding: keyof Accepted): boolean {
  if (acceptEncoding === undefined) return false
  let accepted = remembered.get(acceptEncoding)
  if (accepted === undefined) {
    accepted = { br: names(acceptEncoding, 'br'), gzip: names(acceptEncoding, 'gzip') }
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(acceptEncoding, accepted)
  }
  return accepted[coding]
}

/** Best compression accepted by this client. */
export function acceptedCompression(acceptEncoding: string | undefined): Compression {
  if (accepts(acceptEncoding, 'br')) return 'br'
  return accepts(acceptEncoding, 'gzip') ? 'gzip' : 'none'
}

function names(acceptEncoding: string, coding: string): boolean {
  let any = false
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const refused = parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter))
    if (name === coding) return !refused
    if (name === '*') any = !refused
  }
  return any
}
