/** Words for at least these ids. An id from outside may be another one, for which the page has no word. */
export type ById<Id extends string> = Readonly<Record<Id, string>> &
  Readonly<Record<string, string>>
