/** Words about several providers, needed by the first view. */
export const providerWords = {
  provider: 'Provider',
  all: 'All providers',
  /** Two providers with one label: `Kimi (kimi-ai)`. */
  named: (label: string, provider: string) => `${label} (${provider})`,
  notOf: (provider: string) => `This account is not one of ${provider}.`,
  /** Shown in place of what is known of the pool at home alone. */
  onlyOf: (home: string) => `Only measured for ${home}`,
}
