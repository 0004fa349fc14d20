import { effect } from '@preact/signals'

interface SwitchedFilter {
  /** Chosen part of the pool, such as a provider. */
  readonly part: () => string
  readonly chosen: () => readonly string[]
  /** Whether the part has anything for a value. */
  readonly has: (value: string) => boolean
  readonly keep: (values: readonly string[]) => void
}

/** Takes values out of a filter with a switch to another part of the pool, if that has nothing for them and the part before had. */
export function dropWithSwitch({ part, chosen, has, keep }: SwitchedFilter): void {
  let before: { readonly part: string; readonly had: readonly string[] } = { part: '', had: [] }
  effect(() => {
    const now = { part: part(), had: chosen().filter(has) }
    const gone = before.had.filter((value) => !now.had.includes(value))
    const kept = chosen().filter((value) => !gone.includes(value))
    if (now.part !== before.part && kept.length < chosen().length) keep(kept)
    before = now
  })
}
