/** Words by id: these at least. An id from outside may be another one, which the page has no word for. */
export type ById<Id extends string> = Readonly<Record<Id, string>> &
  Readonly<Record<string, string>>
