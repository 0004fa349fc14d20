import { isAbsolute, resolve } from 'node:path'
import * as v from 'valibot'
import type { ConfigProblem } from './config-error.ts'
import { type Given, shownRaw } from './config-input.ts'
import type { Setting } from './setting.ts'

/** Reads the value given for a setting, as its kind requires. Relative paths become absolute; a refused value gives a problem. */
export function readValue(
  { key, kind }: Pick<Setting, 'key' | 'kind'>,
  { raw, source, place, folder }: Given,
): { readonly value: unknown } | ConfigProblem {
  const refusal = kind.refusal?.(raw) ?? null
  if (refusal !== null) {
    const code = refusal.isSecret ? 'secret_not_allowed' : 'invalid_value'
    return { code, message: `${key} from ${place}: ${refusal.why}` }
  }
  const read = v.safeParse(
    kind.schema,
    source !== 'file' && kind.numeric === true ? numberIn(raw) : raw,
  )
  if (read.success) {
    const { output } = read
    const isRelative =
      typeof output === 'string' && kind.isPath?.(output) === true && !isAbsolute(output)
    return { value: isRelative ? resolve(folder, output) : output }
  }
  // Text before an `@` may be a password.
  const isHarmless = kind.secret !== true && !JSON.stringify(raw).includes('@')
  const shown = isHarmless ? `, not ${shownRaw(raw)}` : ''
  return {
    code: 'invalid_value',
    message: `${key} from ${place}: expected ${kind.allowed}${shown}`,
  }
}

/** Flags and variables are text; for numeric settings a plain decimal number is converted. */
function numberIn(raw: unknown): unknown {
  return typeof raw === 'string' && /^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(raw) ? Number(raw) : raw
}
