// The door of @svc/json-stream: the tokens that JSON is made of, piece by piece.
export {
  createJsonTokens,
  JsonTokenKind,
  type JsonTokenOptions,
  type JsonTokens,
} from './json-tokens.ts'
