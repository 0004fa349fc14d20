import type { SchedulerState } from '@svc/core/service'

/** State of a plugin and its remedy. */
interface SchedulerWords {
  readonly what: string
  /** Left out if there is nothing to do. */
  readonly remedy?: string
}

/** Scheduler plugins of proxies, which route by the ranking. */
export const schedulers = {
  title: (version: string) => `Scheduler plugin ${version}`,
  states: {
    routes: { what: 'Routes requests by the ranking.' },
    waits: { what: 'Follows the ranking and waits for a request.' },
    unreported: {
      what: 'Reads the ranking. This version does not report whether it routes by it.',
      remedy: 'Update the plugin.',
    },
    pauses: { what: 'Does not ask now. It pauses after five minutes without requests.' },
    silent: {
      what: 'Has stopped asking while requests come: they go by the strategy of the proxy.',
      remedy: 'Look at the log of the proxy, and at the url of the plugin.',
    },
    not_following: {
      what: 'Asks, and cannot use the answers: requests go by the strategy of the proxy.',
      remedy: 'The log of the proxy gives the reason.',
    },
    not_consulted: {
      what: 'Follows the ranking, and the proxy routes requests without it: another scheduler plugin comes first.',
      remedy: 'Give this plugin a higher priority, or switch the other one off.',
    },
    picks_nothing: {
      what: 'Leaves every request to the proxy: each account is blocked, or this service does not watch the accounts of the proxy.',
      remedy: 'Look at the list of accounts, and at the url and upstream of the plugin.',
    },
    refused_host: {
      what: 'Its questions are refused: the host in its url is not allowed.',
      remedy: 'Start the service with that host as --allowed-host.',
    },
    refused_upstream: {
      what: 'Its questions are refused: its setting upstream names a proxy that is not watched.',
      remedy: 'Set upstream to a name in the configuration of this service, or leave it out.',
    },
  } as Readonly<Record<SchedulerState, SchedulerWords>>,
}
