/** Words of the table of pools. */
export const poolsWords = {
  title: 'Providers',
  heads: ['Provider', 'Routable', 'Left', 'Next reset'] as readonly [
    string,
    string,
    string,
    string,
  ],
  /** `left` as in `146 of 252 Pro`; empty where only the percent is shown. `percent` is null if too much is unknown. */
  window: (window: string, left: string, percent: string | null) =>
    [window, left, percent ?? '?'].filter((text) => text !== '').join(' '),
  of: (count: string, all: string) => `${count} of ${all}`,
  routable: (count: string, all: string) => `${count} of ${all} routable`,
  unknown: (units: string) => `${units} unknown`,
  nothing: 'no quota reported',
  show: (provider: string) => `Show the accounts of ${provider}`,
}
