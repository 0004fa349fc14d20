/**
 * Finds any of many texts in one pass, whatever their number: Aho and Corasick's automaton. Capitals count as small letters, and some characters
 * beyond ASCII as others: who calls it compares what was found.
 */
export interface Automaton {
  /** Calls back for every place where a text ends, with the number of the text and the offset behind it. */
  scan(text: string, found: (pattern: number, end: number) => void): void
}

const FOLD = Uint8Array.from({ length: 256 }, (_, code) =>
  code >= 65 && code <= 90 ? code + 32 : code,
)
/** A byte for a character: capitals are small letters, and beyond ASCII several characters share one. */
function foldOf(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return FOLD[(code ^ (code >> 8)) & 255] ?? 0
}

const ROOT = 0

/** An empty text is never found. */
export function createAutomaton(patterns: readonly string[]): Automaton {
  const { step, states, end, before, endAt } = buildTrie(patterns)
  /** The state of the longest end of what was read that begins a text as well. */
  const fail = new Uint32Array(states)
  const next = (from: number, byte: number): number => {
    for (let state = from; state !== ROOT; state = fail[state] ?? ROOT) {
      const target = step(state, byte)
      if (target !== ROOT) return target
    }
    return step(ROOT, byte)
  }
  linkByDepth(patterns, { step, end, endAt, fail, next })
  return {
    scan(text, found) {
      let state = ROOT
      for (let at = 0; at < text.length; at += 1) {
        state = next(state, foldOf(text, at))
        for (let hit = endAt[state] ?? ROOT; hit !== ROOT; hit = endAt[fail[hit] ?? ROOT] ?? ROOT)
          for (let pattern = end[hit] ?? 0; pattern !== 0; pattern = before[pattern - 1] ?? 0)
            found(pattern - 1, at + 1)
      }
    },
  }
}

interface Trie {
  /** The state that a byte leads to; the root where it leads to none. */
  readonly step: (state: number, byte: number) => number
  readonly states: number
  /** The number of the text that ends at a state, and one; the last of those that count as equal. 0 for none. */
  readonly end: Uint32Array
  /** Of each text the one before it that ends at the same state, counted in the same way. */
  readonly before: Uint32Array
  /** The state itself where a text ends there, else the nearest one up the failures. */
  readonly endAt: Uint32Array
}

/** Slots for each byte of the texts. In a fuller table steps are slower. */
const SLOTS_A_BYTE = 1.5
/** A key holds a state and a byte in 32 bits. */
const SLOTS_MAX = 2 ** 24

/**
 * The texts, their beginnings shared. A state is the slot of the hash table in which the step to it stands, and one: memory counts, and so there is
 * no table of states.
 */
function buildTrie(patterns: readonly string[]): Trie {
  const length = patterns.reduce((sum, pattern) => sum + pattern.length, 0)
  const slots = Math.min(SLOTS_MAX - 2, Math.ceil(length * SLOTS_A_BYTE) + 64)
  if (length > slots) throw new Error('more texts than states can be counted')
  /** Of each slot the state before and the byte, and one; 0 where it is empty. */
  const keys = new Uint32Array(slots)
  const firstOf = new Uint32Array(256)
  const slotFor = (state: number, byte: number): number => {
    const key = state * 256 + byte + 1
    const hash = (Math.imul(state, 0x9e3779b1) ^ Math.imul(byte + 1, 0x85ebca6b)) >>> 8
    let slot = Math.floor((hash * slots) / SLOTS_MAX)
    while (keys[slot] !== 0 && keys[slot] !== key) slot = slot + 1 === slots ? 0 : slot + 1
    return slot
  }
  const end = new Uint32Array(slots + 1)
  const before = new Uint32Array(patterns.length)
  for (const [index, pattern] of patterns.entries()) {
    let state = ROOT
    for (let at = 0; at < pattern.length; at += 1) {
      const byte = foldOf(pattern, at)
      const slot = slotFor(state, byte)
      keys[slot] = state * 256 + byte + 1
      if (state === ROOT) firstOf[byte] = slot + 1
      state = slot + 1
    }
    if (state === ROOT) continue
    before[index] = end[state] ?? 0
    end[state] = index + 1
  }
  const step = (state: number, byte: number): number => {
    if (state === ROOT) return firstOf[byte] ?? ROOT
    const slot = slotFor(state, byte)
    return keys[slot] === 0 ? ROOT : slot + 1
  }
  return { step, states: slots + 1, end, before, endAt: new Uint32Array(slots + 1) }
}

/** Fills in `fail` and `endAt`: of all texts together, depth by depth, because a state fails to one that is less deep. */
function linkByDepth(
  patterns: readonly string[],
  {
    step,
    end,
    endAt,
    fail,
    next,
  }: Pick<Trie, 'step' | 'end' | 'endAt'> & {
    readonly fail: Uint32Array
    readonly next: (from: number, byte: number) => number
  },
): void {
  const reached = new Uint32Array(patterns.length)
  let under = patterns.map((_, index) => index)
  for (let depth = 0; under.length > 0; depth += 1) {
    under = under.filter((index) => depth < (patterns[index]?.length ?? 0))
    for (const index of under) {
      const byte = foldOf(patterns[index] ?? '', depth)
      const before = reached[index] ?? ROOT
      const state = step(before, byte)
      reached[index] = state
      const failed = before === ROOT ? ROOT : next(fail[before] ?? ROOT, byte)
      fail[state] = failed
      endAt[state] = end[state] === 0 ? (endAt[failed] ?? ROOT) : state
    }
  }
}
