import type { ById } from './by-id.ts'
import { strings } from './strings.ts'

/** The texts of the panel that helps until there is something to show. */
export const setUpWords = {
  title: 'Set up',
  steps: {
    gateway: 'The proxy answers',
    key: 'The management key is accepted',
    accounts: 'The account list is read',
    quota: 'Quota is read',
    history: 'Usage is kept',
  },
  states: {
    done: 'done',
    wrong: 'needs you',
    waiting: 'waiting',
    later: 'after the steps above',
    optional: 'optional',
  },
  /** A line of the configuration for each step that has one. */
  settings: {
    gateway: 'upstream_url = "http://127.0.0.1:8317"',
    key: 'management_key_file = "/path/to/key-file"',
    history: 'state_db = "/path/to/history.db"',
  } as ById<'gateway' | 'key' | 'history'>,
  doctor: 'svc-quota-monitor doctor',
  check: 'After a change of the configuration, restart the service. This checks all of it:',
  again: (seconds: number) => `${strings.waiting} The proxy is asked every ${seconds} s.`,
  toHealth: 'Everything in Health',
  doLabel: strings.doLabel,
}
