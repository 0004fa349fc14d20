// The door of @svc/secret-files: which secret files are read, and why others are refused.
export {
  hasAuthFilesReadableByOthers,
  isReadableByOthers,
  isUntrusted,
  readAuthFile,
  readPlainFile,
  readSecretFile,
  type SecretFileReading,
} from './secret-files.ts'
