import { UpstreamError } from '../proxy/upstream-error.ts'

/** Fails as connecting by RESP does to a proxy without it. */
export const withoutResp = () =>
  Promise.reject(new UpstreamError('unsupported', 'the proxy speaks no RESP'))
