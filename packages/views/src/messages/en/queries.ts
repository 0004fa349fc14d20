/** Reasons why a refresh skipped accounts, and why the probe of a disabled account failed. */
export const queries = {
  refreshFailures: {
    quota_off: 'Direct quota queries are off: set quota_transport.',
    deadline: 'It took too long.',
    cancelled: 'It was cancelled.',
    no_direct_quota: 'The quota of this account cannot be queried.',
    vendor_asks_to_wait: 'The vendor wants no query about this account yet.',
    asked_lately: 'The vendor was asked about this account less than a minute ago.',
  },
  disabledProbe: {
    auth_invalid: 'The vendor refused the login.',
    error: 'The query failed.',
  },
}
