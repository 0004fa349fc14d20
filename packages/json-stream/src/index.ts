// The door of @svc/json-stream: the tokens of a JSON text, read piece by piece.
export {
  createJsonTokens,
  JsonTokenKind,
} from './json-tokens.ts'
