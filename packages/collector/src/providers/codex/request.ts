import type { QuotaRequest, VendorLogin } from '../contract/provider.ts'

/** The one address that is ever queried. */
const USAGE_URL = 'https://chatgpt.com/backend-api/wham/usage'
/** What the vendor's own client sends; the account header only when the id is known. */
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
