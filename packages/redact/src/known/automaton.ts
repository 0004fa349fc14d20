/**
 * Finds any of many texts in one pass, whatever their number: the automaton of Aho and Corasick. Capital and small letters are equal, and so are some
 * characters beyond ASCII, so the caller must compare the matches.
 */
export interface Automaton {
  /** Calls back for every match, with the number of the text and the offset after the match. */
  scan(text: string, found: (pattern: number, end: number) => void): void
}

const FOLD = Uint8Array.from({ length: 256 }, (_, code) =>
  code >= 65 && code <= 90 ? code + 32 : code,
)
/** One byte per character: capital and small letters are equal, and several characters beyond ASCII share a byte. */
function foldOf(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return FOLD[(code ^ (code >> 8)) & 255] ?? 0
}

const ROOT = 0

/** Creates an automaton for these texts; an empty text is never found. */
export function createAutomaton(patterns: readonly string[]): Automaton {
  const { step, states, end, before, endAt } = buildTrie(patterns)
  /** The failure state of each state: its longest proper suffix that is also a prefix of a text. */
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
  /** The state after a byte; the root if there is no transition. */
  readonly step: (state: number, byte: number) => number
  readonly states: number
  /** For each state, one plus the number of the text that ends there, or 0 for none. Of equal texts it is the last one. */
  readonly end: Uint32Array
  /** For each text, one plus the number of the previous text that ends at the same state, or 0 for none. */
  readonly before: Uint32Array
  /** For each state, the state itself if a text ends there, else the nearest such state along the failures. */
  readonly endAt: Uint32Array
}

/** Hash table slots per byte of the texts; a fuller table is slower. */
const SLOTS_A_BYTE = 1.5
/** Maximum number of slots: a key contains a state and a byte in 32 bits. */
const SLOTS_MAX = 2 ** 24

/** The texts as a trie. To save memory there is no table of states: a state is one plus the hash table slot of the transition to it. */
function buildTrie(patterns: readonly string[]): Trie {
  const length = patterns.reduce((sum, pattern) => sum + pattern.length, 0)
  const slots = Math.min(SLOTS_MAX - 2, Math.ceil(length * SLOTS_A_BYTE) + 64)
  if (length > slots) throw new Error('more texts than states can be counted')
  /** For each slot, the previous state and the byte, plus one; 0 if empty. */
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

/** Fills in `fail` and `endAt`, for all texts together and depth by depth, because a failure state is always less deep than its state. */
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
