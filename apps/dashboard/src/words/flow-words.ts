/** Texts of the chart of past and coming quota, loaded after the first view. */
export const flowWords = {
  /** Text of the whole chart for screen readers. `end` says what is left at its end. */
  summary: (window: string, from: string, to: string, unit: string, end: string) =>
    `${window}: ${from === to ? `${to} ${unit} now` : `from ${from} to ${to} ${unit} so far`}; ${end}`,
  reader: (window: string) => `${window} by time`,
  /** Amounts with their unit, as in `0.2 Plus`. */
  left: (moment: string, units: string) => `${moment}: ${units} left`,
  onBlocked: (units: string) => `, ${units} of it on blocked accounts`,
  unused: (moment: string, units: string) => `${moment}: ${units} if nothing is used`,
  expected: (moment: string, units: string, low: string, high: string) =>
    `${moment}: ${units} expected${low === high ? '' : ` (${low} to ${high})`}`,
  rough: (moment: string, low: string, high: string, unit: string) =>
    `${moment}: ${low === high ? low : `${low} to ${high}`} ${unit} expected, roughly`,
  unknown: (moment: string) => `${moment}: not known`,
  since: (moment: string) => `kept since ${moment}`,
  dryAt: (moment: string) => `dry ${moment}`,
  dryNote: (moment: string) => `; at this pace dry about ${moment}`,
}
