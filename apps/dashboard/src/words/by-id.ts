/** Words for at least these ids. An id from outside may be another one, for which the page has no word. */
export type ById<Id extends string> = Readonly<Record<Id, string>> &
  Readonly<Record<string, string>>

/** Declares words by id; the compiler asks for each id. */
export function byId<Id extends string>(words: Readonly<Record<Id, string>>): ById<Id> {
  return words as ById<Id>
}
