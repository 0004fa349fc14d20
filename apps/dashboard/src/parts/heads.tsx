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
