/**
 * Template tag for Chinese texts: where a value meets the text around it, a space separates Han from Latin letters or digits, and Han from
 * Han needs none. The values themselves stay unchanged.
 */
export function spaced(
  parts: TemplateStringsArray,
  ...values: readonly (string | number)[]
): string {
  return parts.reduce((text, part, index) => join(join(text, String(values[index - 1])), part))
}

function join(text: string, next: string): string {
  const before = text.trimEnd()
  const after = next.trimStart()
  const [last = '', first = ''] = [before.at(-1), after.at(0)]
  if (HAN.test(last) && HAN.test(first)) return before + after
  const meet = (HAN.test(last) && LATIN.test(first)) || (LATIN.test(last) && HAN.test(first))
  return meet ? `${before} ${after}` : text + next
}

const HAN = /\p{Script=Han}/u
/** Letters, digits and the signs of numbers. */
const LATIN = /[A-Za-z0-9<+−%]/
