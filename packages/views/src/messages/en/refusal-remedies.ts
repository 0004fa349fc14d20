/** Remedies for a refused management call, by failure code. The health action and the failed source share them. */
export const refusalRemedies = {
  unauthorized:
    'Set the management key that the proxy is configured with, in plain text, not the hash.',
  forbidden:
    'Set remote-management.allow-remote or MANAGEMENT_PASSWORD on the proxy, or run the monitor beside it.',
  banned: 'Correct the management key before the ban ends.',
} as const
