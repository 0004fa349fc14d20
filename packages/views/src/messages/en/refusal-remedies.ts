/** What to do where the proxy lets nobody manage it, by the code of the failure; the action of health and the source that failed advise the same. */
export const refusalRemedies = {
  unauthorized:
    'Set the management key that the proxy is configured with, in plain text, not the hash.',
  forbidden:
    'Set remote-management.allow-remote or MANAGEMENT_PASSWORD on the proxy, or run the monitor beside it.',
  banned: 'Correct the management key before the ban ends.',
} as const
