/** Texts of the set-up panel, which helps until there is something to show. */
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
  whereKey:
    'The key is what `remote-management.secret-key` (`management.secret-key` with `config-version: 8`) or `MANAGEMENT_PASSWORD` of the proxy was set to, in plain text, not the hash. Write it to a file that only the service can read (mode 0600), beside the configuration:',
  whereConfiguration:
    'The configuration is `~/.config/svc-quota-monitor/config.toml`, else `/etc/svc-quota-monitor/config.toml`, unless `--config` names another; `print-config` says what is in force and where it came from.',
  check: 'After a change of the configuration, restart the service. This checks all of it:',
  connect: 'These accounts are made up. To see your own, start the program without --demo:',
  fromClone:
    'In a clone, run `npm run build` first, and type `node apps/cli/dist/main.js` in place of `svc-quota-monitor`.',
  again: (seconds: number) => `The proxy is asked every ${seconds} s.`,
  toHealth: 'Everything in Health',
}
