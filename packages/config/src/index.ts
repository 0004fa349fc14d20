export { type Authority, canonicalAddress, isUnspecifiedHost, parseAuthority } from './authority.ts'
export { type Config, settingIn, type Upstream, upstreamsOf } from './config.ts'
export { ConfigError, type ConfigErrorCode, type ConfigProblem } from './config-error.ts'
export type { ConfigInput, ConfigSource } from './config-input.ts'
export { type SettingKey, settings } from './config-schema.ts'
export { isDatabaseAddress, looksLikeAddress, readAddress } from './database-address.ts'
export { type ConfigRow, configText, describeConfig } from './describe-config.ts'
export { injectedNote } from './injected-variables.ts'
export { isLoopbackHost, isOnThisMachine } from './loopback-host.ts'
export { nearestWord } from './near-word.ts'
export { type NotifySetting, notifySettings } from './notify-targets.ts'
export { languageGiven, type ResolvedConfig, resolveConfig } from './resolve-config.ts'
export { serviceUrl } from './service-url.ts'
export {
  CONFIG_ENV,
  envNameOf,
  flagOf,
  headingOf,
  MANAGEMENT_KEY_ENV,
  type Setting,
  type SettingHeading,
  URL_HEADERS_FILE_ENV,
} from './setting.ts'
export { unexpandedIn } from './unexpanded-path.ts'
export { NAME_IN_PATH } from './upstreams.ts'
