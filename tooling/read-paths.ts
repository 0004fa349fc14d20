import { openApiDocument } from '@svc/views/openapi'

/** Every path of the contract whose answer ends and that can be read without knowing an account, so that whatever is added is read by every test that reads them all. */
export const readPaths: readonly string[] = Object.entries(openApiDocument().paths).flatMap(
  ([path, operations]) =>
    'get' in operations && !path.includes('{') && path !== '/api/v1/events' ? [path] : [],
)

/** Read paths but the download, which takes as long as its client, is no JSON, runs twice at once at most and needs a store. */
export const quickPaths: readonly string[] = readPaths.filter(
  (path) => path !== '/api/v1/usage/rows',
)
