import { ALWAYS, type NameRule } from '../names/secret-names.ts'
import type { Span } from '../span.ts'

/** Deeper levels are counted, but not remembered one by one. */
const LEVELS_MAX = 1000

/** An open list or object. */
export interface Level {
  /** Hides everything inside. */
  readonly rule: NameRule | null
  readonly isList: boolean
  name: string
  /** Rule for the name of the current member. */
  nameRule: NameRule | null
  /** Number of elements so far, and the text of the first and of the previous one. */
  count: number
  first: string
  previous: string
  /** In `{"name": "API_KEY", "value": "x"}` one member names the other, in either order. */
  named: NameRule | null
  values: Span[]
}

/** Open lists and objects around a place in JSON, and the rule they apply there. */
export interface JsonLevels {
  /** The innermost level; undefined outside of all, and at depths that are only counted. */
  readonly top: Level | undefined
  /** Number of remembered levels. */
  readonly count: number
  /** True from damage on until a new document begins: brackets cannot be trusted. */
  isLost: boolean
  /** The level this many steps above the innermost. */
  above(steps: number): Level | undefined
  open(isList: boolean): void
  close(isList: boolean): void
  /** A member of this name begins. */
  beginMember(name: string, rule: NameRule | null): void
  /** A comma was read. */
  endMember(): void
  /** The rule for a value in this place, from the names around it. */
  ruleHere(): NameRule | null
  /** Starts a new document. */
  reset(): void
}

export function createJsonLevels(): JsonLevels {
  const levels: Level[] = []
  const deep = createCountedLevels()
  let isLost = false

  const top = (): Level | undefined => (deep.isInside() ? undefined : levels.at(-1))
  const ruleHere = (): NameRule | null => {
    if (deep.isInside()) return deep.ruleHere()
    const level = levels.at(-1)
    return level === undefined ? null : (level.rule ?? level.nameRule)
  }

  return {
    get top() {
      return top()
    },
    get count() {
      return levels.length
    },
    get isLost() {
      return isLost
    },
    set isLost(value) {
      isLost = value
    },
    above: (steps) => levels.at(-1 - steps),
    ruleHere,
    open(isList) {
      const rule = inherit(ruleHere(), isList)
      if (deep.isInside() || levels.length === LEVELS_MAX) return deep.open(rule !== null)
      levels.push(newLevel(rule, isList))
    },
    close(isList) {
      if (deep.isInside()) return deep.close()
      const level = levels.pop()
      if (level === undefined || level.isList !== isList) isLost = true
      const parent = levels.at(-1)
      if (parent !== undefined) parent.previous = ''
    },
    beginMember(name, rule) {
      const level = top()
      if (level === undefined) deep.name(rule)
      else {
        level.name = name
        level.nameRule = rule
      }
    },
    endMember() {
      const level = top()
      if (level === undefined) deep.name(null)
      else if (!level.isList) {
        level.nameRule = null
        level.name = ''
      }
    },
    reset() {
      levels.length = 0
      deep.reset()
      isLost = false
    },
  }
}

/** Counts the levels below the remembered ones, and notes the one from which everything is hidden. */
function createCountedLevels() {
  let count = 0
  let secretFrom: number | null = null
  let nameRule: NameRule | null = null
  return {
    isInside: () => count > 0,
    ruleHere: () => (secretFrom === null ? nameRule : ALWAYS),
    name(rule: NameRule | null) {
      nameRule = rule
    },
    open(isSecret: boolean) {
      count += 1
      if (secretFrom === null && isSecret) secretFrom = count
      nameRule = null
    },
    close() {
      if (secretFrom === count) secretFrom = null
      count -= 1
      nameRule = null
    },
    reset() {
      count = 0
      secretFrom = null
    },
  }
}

function newLevel(rule: NameRule | null, isList: boolean): Level {
  return {
    rule,
    isList,
    name: '',
    nameRule: null,
    count: 0,
    first: '',
    previous: '',
    named: null,
    values: [],
  }
}

/** The part of a rule that applies to everything inside a list or object. */
function inherit(rule: NameRule | null, isList: boolean): NameRule | null {
  if (rule === null) return null
  return rule.hides === 'always' || (isList && rule.hides !== 'likely') ? rule : null
}
