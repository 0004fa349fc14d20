import { byId } from './by-id.ts'

/** Words about several proxies. */
export const fleetWords = {
  proxy: 'Proxy',
  proxies: 'Proxies',
  all: (count: number) => `All ${count} proxies`,
  showOnly: (name: string) => `Show ${name} only`,
  showAll: 'Show all proxies',
  /** Text of a proxy in a list of choices. */
  choice: (name: string, state: string) => `${name} (${state})`,
  states: byId<'live' | 'partial' | 'stale' | 'unavailable' | 'demo'>({
    live: 'live',
    partial: 'partly read',
    stale: 'old list',
    unavailable: 'not read',
    demo: 'demo',
  }),
  gatewayDown: 'gateway down',
  alsoAt: 'Also at',
  at: 'At',
  readAgo: (span: string) => `list read ${span} ago`,
  neverRead: 'no list read yet',
  paceOfAll: 'Only measured for all proxies together',
  elsewhere: (name: string) => `This account is not at ${name}.`,
  usageOfAll: 'Usage is that of all proxies.',
  daysOfAll: 'These days are those of all proxies.',
  only: 'Only this',
  /** Shown beside the actions of a single proxy. */
  actionsOfAll: (count: number) => `of ${count} at all proxies`,
}

/** Words about several providers, needed by the first view. */
export const providerWords = {
  provider: 'Provider',
  all: 'All providers',
  /** Distinguishes providers with the same label: `Kimi (kimi-ai)`. */
  named: (label: string, provider: string) => `${label} (${provider})`,
  /** Number of actions that concern none of the shown accounts. */
  elsewhere: (count: number) => `${count} at other providers`,
  notOf: (provider: string) => `This account is not one of ${provider}.`,
  /** Shown in place of facts that are known only for the home provider. */
  onlyOf: (home: string) => `Only measured for ${home}`,
}
