const HAN_THEN_OTHER = /^\p{sc=Han}[\w+<]$/u
const OTHER_THEN_HAN = /^[\w%)]\p{sc=Han}$/u

/** Template tag that puts a space where Chinese meets Latin letters or digits at the edge of a value, as in `自周日 09:00 起`. */
export function spaced(
  texts: TemplateStringsArray,
  ...values: readonly (string | number)[]
): string {
  return texts.reduce((text, next, index) =>
    join(join(text, String(values[index - 1] ?? '')), next),
  )
}

function join(text: string, next: string): string {
  const joint = `${text.at(-1) ?? ''}${next.charAt(0)}`
  return HAN_THEN_OTHER.test(joint) || OTHER_THEN_HAN.test(joint)
    ? `${text} ${next}`
    : `${text}${next}`
}
