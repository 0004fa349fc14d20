import type { QuotaRequest, VendorLogin } from '../contract/provider.ts'

/** The only address ever queried. */
const USAGE_URL = 'https://chatgpt.com/backend-api/wham/usage'
/** User agent of the vendor's own client. The account header is sent only if the id is known. */
const USER_AGENT = 'codex_cli_rs/0.145.0'

export function quotaRequest({ bearer, vendorAccountId }: VendorLogin): QuotaRequest {
  return {
    url: USAGE_URL,
    headers: {
      Authorization: `Bearer ${bearer}`,
      'Content-Type': 'application/json',
      'User-Agent': USER_AGENT,
      ...(vendorAccountId === null ? {} : { 'Chatgpt-Account-Id': vendorAccountId }),
    },
  }
}
