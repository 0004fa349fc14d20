/** Why a refresh did not ask about the rest, and why the probe of a disabled account failed. */
export const queries = {
  refreshFailures: {
    quota_off: 'Direct quota queries are off: set quota_transport.',
    deadline: 'It took too long.',
  },
  disabledProbe: {
    auth_invalid: 'The vendor refused the login.',
    error: 'The query failed.',
  },
}
