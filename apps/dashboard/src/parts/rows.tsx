import type { ComponentChildren } from 'preact'

export function Heads({ words }: { readonly words: readonly string[] }) {
  return (
    <tr>
      {words.map((word) => (
        <th key={word} scope="col">
          {word}
        </th>
      ))}
    </tr>
  )
}

/** A name with its value, in a list of such. */
export function Pair({
  name,
  children,
}: {
  readonly name: ComponentChildren
  readonly children: ComponentChildren
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
