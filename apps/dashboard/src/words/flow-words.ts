/** Texts of the chart of past quota and coming resets, loaded after the first view. */
export const flowWords = {
  reader: (window: string) => `${window} by time`,
  units: (amount: string) => `${amount} Plus`,
  left: (moment: string, units: string) => `${moment}: ${units} Plus left`,
  coming: (moment: string, units: string) => `${moment}: ${units} Plus if nothing is used`,
  unknown: (moment: string) => `${moment}: not known`,
  since: (moment: string) => `kept since ${moment}`,
  dryAt: (clock: string) => `dry ${clock}`,
  dryNote: (clock: string) => `; at this pace dry about ${clock}`,
}
