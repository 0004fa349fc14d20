/** Finds any of many texts in one pass, whatever their number: Aho and Corasick's automaton over bytes, capitals and small letters alike. */
export interface Automaton {
  /** Calls back for every place where a text ends, with the number of the text and the offset behind it. */
  scan(bytes: Uint8Array, length: number, found: (pattern: number, end: number) => void): void
}

const FOLD = Uint8Array.from({ length: 256 }, (_, code) =>
  code >= 65 && code <= 90 ? code + 32 : code,
)
const NONE = -1

/** The texts are byte text; an empty one is never found. */
export function createAutomaton(patterns: readonly string[]): Automaton {
  const trie = buildTrie(patterns)
  const { count, table, mask, keys, output } = trie
  const fail = new Int32Array(count)
  /** The next state up the failure links at which a text ends. */
  const link = new Int32Array(count).fill(NONE)
  const root = new Int32Array(256)
  const step = (state: number, byte: number): number => {
    let slot = slotOf(state, byte, mask)
    const key = state * 256 + byte
    while (keys[slot] !== 0) {
      if (keys[slot] === key + 1) return table[slot] ?? 0
      slot = (slot + 1) & mask
    }
    return 0
  }
  for (let byte = 0; byte < 256; byte += 1) root[byte] = step(0, byte)
  const next = (from: number, byte: number): number => {
    for (let state = from; state !== 0; state = fail[state] ?? 0) {
      const target = step(state, byte)
      if (target !== 0) return target
    }
    return root[byte] ?? 0
  }
  // States are numbered from the root outward within each text, but not across texts: by depth.
  for (const state of trie.byDepth) {
    const parent = trie.parent[state] ?? 0
    fail[state] = parent === 0 ? 0 : next(fail[parent] ?? 0, trie.byte[state] ?? 0)
    const failed = fail[state] ?? 0
    link[state] = (output[failed] ?? NONE) !== NONE ? failed : (link[failed] ?? NONE)
  }
  return {
    scan(bytes, length, found) {
      let state = 0
      for (let at = 0; at < length; at += 1) {
        const byte = FOLD[bytes[at] ?? 0] ?? 0
        state = state === 0 ? (root[byte] ?? 0) : next(state, byte)
        if (state === 0) continue
        for (
          let hit = (output[state] ?? NONE) !== NONE ? state : (link[state] ?? NONE);
          hit !== NONE;
          hit = link[hit] ?? NONE
        )
          found(output[hit] ?? 0, at + 1)
      }
    },
  }
}

interface Trie {
  readonly count: number
  readonly mask: number
  /** Transitions by hash; a key is the state and the byte, plus one. */
  readonly keys: Float64Array
  readonly table: Int32Array
  readonly parent: Int32Array
  readonly byte: Uint8Array
  /** The text that ends at a state; the last of equal ones. */
  readonly output: Int32Array
  readonly byDepth: Int32Array
}

function buildTrie(patterns: readonly string[]): Trie {
  const most = patterns.reduce((sum, { length }) => sum + length, 1)
  let slots = 64
  while (slots < most * 2) slots *= 2
  const mask = slots - 1
  const keys = new Float64Array(slots)
  const table = new Int32Array(slots)
  const parent = new Int32Array(most)
  const byte = new Uint8Array(most)
  const depth = new Int32Array(most)
  const output = new Int32Array(most).fill(NONE)
  let count = 1
  for (const [index, pattern] of patterns.entries()) {
    let state = 0
    for (let at = 0; at < pattern.length; at += 1) {
      const code = FOLD[pattern.charCodeAt(at) & 255] ?? 0
      const key = state * 256 + code
      let slot = slotOf(state, code, mask)
      while (keys[slot] !== 0 && keys[slot] !== key + 1) slot = (slot + 1) & mask
      if (keys[slot] === 0) {
        keys[slot] = key + 1
        table[slot] = count
        parent[count] = state
        byte[count] = code
        depth[count] = at + 1
        count += 1
      }
      state = table[slot] ?? 0
    }
    if (state !== 0) output[state] = index
  }
  return { count, mask, keys, table, parent, byte, output, byDepth: inOrderOfDepth(depth, count) }
}

function inOrderOfDepth(depth: Int32Array, count: number): Int32Array {
  const starts: number[] = []
  for (let state = 1; state < count; state += 1) {
    const index = (depth[state] ?? 0) + 1
    starts[index] = (starts[index] ?? 0) + 1
  }
  for (let index = 1; index < starts.length; index += 1)
    starts[index] = (starts[index] ?? 0) + (starts[index - 1] ?? 0)
  const order = new Int32Array(count - 1)
  for (let state = 1; state < count; state += 1) {
    const at = starts[depth[state] ?? 0] ?? 0
    order[at] = state
    starts[depth[state] ?? 0] = at + 1
  }
  return order
}

function slotOf(state: number, byte: number, mask: number): number {
  return ((Math.imul(state, 0x9e3779b1) ^ Math.imul(byte + 1, 0x85ebca6b)) >>> 7) & mask
}
