export { type Artifact, type ArtifactId, artifacts } from './artifacts.ts'
export { type Installation, installationOf } from './installation/installation.ts'
export { shellWord } from './installation/quoting.ts'
