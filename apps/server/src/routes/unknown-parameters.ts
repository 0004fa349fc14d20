/** A name that is safe to repeat in an answer; any other is only counted. */
const PLAIN_NAME = /^[\w.-]{1,32}$/
/** Most unknown parameters that are named. */
const UNKNOWN_NAMED_MAX = 5

/** A warning for each unknown parameter. */
export function unknownParameters(
  parameters: URLSearchParams,
  known: ReadonlySet<string>,
): readonly string[] {
  const unknown = [...new Set(parameters.keys())].filter((name) => !known.has(name))
  const named = unknown.filter((name) => PLAIN_NAME.test(name)).slice(0, UNKNOWN_NAMED_MAX)
  const others = unknown.length - named.length
  return [
    ...named.map((name) => `${name}: no such parameter; it is ignored`),
    ...(others > 0
      ? [`${others} more ${others === 1 ? 'parameter is' : 'parameters are'} not known and ignored`]
      : []),
  ]
}
