/** Characters that end an address where it stands in a text. */
const OUTSIDE_ADDRESS = /[\s"'<>()[\]{}|,;:=/\\@]/u
/** What may be a token; `isToken` decides. Three parts with dots make one. */
const RUN = /eyJ[\w-]{5,}(?:\.[\w-]+)*|[\w-]{8,}/g
const KNOWN_BEGINNING = /^(?:eyJ|(?:sk|pk|rk|ghp|gho|ghs|xox[abps])[-_])/
/** A run this long that mixes letters and digits is not a word. */
const RANDOM_LENGTH_MIN = 24

/**
 * The text with e-mail addresses as `user-3fa9` and token-like strings as `••••3fa9`: the same for the same address, so that one can still be told from
 * another. For showing only; nothing that is published is safe by this.
 */
export function maskText(text: string): string {
  return maskAddresses(text).replace(RUN, (run) => (isToken(run) ? `••••${markOf(run)}` : run))
}

/** What stands for a name that a person chose, the same for the same name; `user-3fa9`. */
export function maskName(name: string): string {
  return `user-${markOf(name.toLowerCase())}`
}

function isToken(run: string): boolean {
  return (
    KNOWN_BEGINNING.test(run) ||
    (run.length >= RANDOM_LENGTH_MIN && /\d/.test(run) && /[A-Za-z]/.test(run))
  )
}

function maskAddresses(text: string): string {
  let masked = ''
  let taken = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at
    while (start > taken && !OUTSIDE_ADDRESS.test(text.charAt(start - 1))) start -= 1
    let end = at + 1
    while (end < text.length && !OUTSIDE_ADDRESS.test(text.charAt(end))) end += 1
    // The full stop after an address is the sentence's.
    while (text.charAt(end - 1) === '.') end -= 1
    if (start === at || end <= at + 1) continue
    masked += `${text.slice(taken, start)}user-${markOf(text.slice(start, end).toLowerCase())}`
    taken = end
  }
  return masked + text.slice(taken)
}

/** Four hex digits that follow from the text: FNV-1a, folded. */
function markOf(text: string): string {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return (((hash >>> 16) ^ hash) & 0xffff).toString(16).padStart(4, '0')
}
