/** Texts of the chart of past and coming quota, loaded after the first view. */
export const flowWords = {
  /** Text of the whole chart for screen readers. `end` says what is left at its end. */
  summary: (window: string, from: string, to: string, end: string) =>
    `${window}: ${from === to ? `${to} Plus now` : `from ${from} to ${to} Plus so far`}; ${end}`,
  reader: (window: string) => `${window} by time`,
  unit: 'Plus',
  left: (moment: string, units: string) => `${moment}: ${units} Plus left`,
  onBlocked: (units: string) => `, ${units} of it on blocked accounts`,
  unused: (moment: string, units: string) => `${moment}: ${units} Plus if nothing is used`,
  expected: (moment: string, units: string, low: string, high: string) =>
    `${moment}: ${units} Plus expected${low === high ? '' : ` (${low} to ${high})`}`,
  rough: (moment: string, low: string, high: string) =>
    `${moment}: ${low === high ? low : `${low} to ${high}`} Plus expected, roughly`,
  unknown: (moment: string) => `${moment}: not known`,
  since: (moment: string) => `kept since ${moment}`,
  dryAt: (moment: string) => `dry ${moment}`,
  dryNote: (moment: string) => `; at this pace dry about ${moment}`,
}
