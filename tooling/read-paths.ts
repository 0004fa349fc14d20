import { openApiDocument } from '@svc/views/openapi'

/** Every path of the contract whose answer ends and that can be read without knowing an account, so that whatever is added is read by every test that reads them all. */
export const readPaths: readonly string[] = Object.entries(openApiDocument().paths).flatMap(
  ([path, operations]) =>
    'get' in operations && !path.includes('{') && path !== '/api/v1/events' ? [path] : [],
)
