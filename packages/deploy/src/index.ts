export { type Artifact, artifacts } from './artifacts.ts'
export { type Installation, installationOf } from './installation/installation.ts'
