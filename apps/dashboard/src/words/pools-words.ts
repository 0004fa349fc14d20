/** Words of the rows of providers. */
export const poolsWords = {
  title: 'Providers',
  routable: (count: string, all: string) => `${count} of ${all} routable`,
  /** For a vendor that counts only by model, or reports nothing. */
  noWindow: 'no quota of the account as a whole',
  show: (provider: string) => `Show the accounts of ${provider}`,
  /** Spans of the two days ahead by their end. */
  spans: {
    usable: (to: string) => `lasts until ${to}`,
    risk: (to: string) => `may be dry until ${to}`,
    dry: (to: string) => `dry until ${to}`,
    unknown: (to: string) => `not known until ${to}`,
  },
}
