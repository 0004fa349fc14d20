/** Names under which a price may stand for a model, most exact first. Nothing is guessed by likeness. See docs/rules.md#cost. */
export function modelNamesOf(model: string): readonly string[] {
  const plain = model
    .toLowerCase()
    .replace(/^models\//, '')
    .replace(/(?:\[1m\]|\(\w+\))$/, '')
  const bare = plain.slice(plain.lastIndexOf('/') + 1)
  const undated = bare.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '')
  return [...new Set([model, plain, bare, undated])]
}
