/** Words of the table of pools. */
export const poolsWords = {
  title: 'Providers',
  heads: ['Provider', 'State', 'Left', 'Next reset'] as readonly [string, string, string, string],
  of: (part: string, whole: string) => `${part} of ${whole}`,
  routable: (count: string, all: string) => `${count} of ${all} routable`,
  /** A window with its percent: `5h 58%`; `5h ?` if the percent is unknown. */
  window: (label: string, percent: string) => `${label} ${percent}`,
  unknown: (units: string) => `${units} unknown`,
  /** For a vendor that counts only by model, or reports nothing. */
  noWindow: 'no quota of the account as a whole',
  noWindowBrief: 'no common quota',
  show: (provider: string) => `Show the accounts of ${provider}`,
}
