import { openApiDocument } from '@svc/views'

/** Every path the contract has, so that whatever is added is read by every test that reads them all. */
export const readPaths: readonly string[] = Object.keys(openApiDocument().paths)
