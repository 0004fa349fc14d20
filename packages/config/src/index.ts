export {
  type Authority,
  canonicalAddress,
  isLoopbackHost,
  isOnThisMachine,
  isUnspecifiedHost,
  parseAuthority,
  serviceUrl,
} from './authority.ts'
export { type Config, settingIn, type Upstream, upstreamsOf } from './config.ts'
export type { ConfigInput } from './config-input.ts'
export {
  ConfigError,
  type ConfigErrorCode,
  unexpandedIn,
} from './config-input.ts'
export { type SettingKey, settings } from './config-schema.ts'
export { isDatabaseAddress, looksLikeAddress, readAddress } from './database-address.ts'
export { type ConfigRow, configText, describeConfig } from './describe-config.ts'
export { nearestWord } from './near-word.ts'
export { type NotifySetting, notifySettings } from './notify-targets.ts'
export { noOwnPrices, type OwnPriceFile, ownPricesIn } from './own-prices.ts'
export {
  injectedNote,
  languageGiven,
  type ResolvedConfig,
  resolveConfig,
} from './resolve-config.ts'
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
export { isPlainUrl } from './setting-kinds.ts'
export { NAME_IN_PATH } from './upstreams.ts'
