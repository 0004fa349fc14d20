export { type Authority, canonicalAddress, isUnspecifiedHost, parseAuthority } from './authority.ts'
export { ConfigError, type ConfigErrorCode, type ConfigProblem } from './config-error.ts'
export type { ConfigInput, ConfigSource } from './config-input.ts'
export {
  CONFIG_ENV,
  type Config,
  envNameOf,
  flagOf,
  MANAGEMENT_KEY_ENV,
  propertyOf,
  type Setting,
  settings,
} from './config-schema.ts'
export { type ConfigRow, configText, describeConfig } from './describe-config.ts'
export { injectedNote } from './injected-variables.ts'
export { isLoopbackHost } from './loopback-host.ts'
export { nearestWord } from './near-word.ts'
export { type ResolvedConfig, resolveConfig } from './resolve-config.ts'
