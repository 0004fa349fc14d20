// The door of @svc/json-stream: the tokens of a JSON text, read piece by piece.
export {
  createJsonTokens,
  JsonTokenKind,
  type JsonTokenOptions,
  type JsonTokens,
} from './json-tokens.ts'
