interface RadioChoiceProps<Id> {
  /** Name of the choice, for screen readers. */
  readonly label: string
  /** Name that the buttons share. */
  readonly name: string
  readonly choices: readonly (readonly [id: Id, text: string | undefined])[]
  readonly chosen: Id
  readonly onChoose: (id: Id) => void
}

/** Choice of one of a few, all of them in sight. */
export function RadioChoice<Id extends string | number>(props: RadioChoiceProps<Id>) {
  const { label, name, choices, chosen, onChoose } = props
  return (
    <fieldset class="choice">
      <legend class="sr">{label}</legend>
      {choices.map(([id, text]) => (
        <label key={id}>
          <input type="radio" name={name} checked={id === chosen} onChange={() => onChoose(id)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}
