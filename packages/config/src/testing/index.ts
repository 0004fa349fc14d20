export { configWith, type SettingsByName } from './config-with.ts'
export { configErrorOf, configWorld, worldWithToml } from './config-world.ts'
