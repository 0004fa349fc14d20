// The door of @svc/secret-files: which secret files are read, and why others are refused.
export {
  hasAuthFilesReadableByOthers,
  isReadableByOthers,
  isUntrusted,
  onlyLineOf,
  readAuthFile,
  readPlainFile,
  readSecretFile,
  readSecretLine,
  type SecretFileReading,
  secretFileProblems,
} from './secret-files.ts'
