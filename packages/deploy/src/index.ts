export { type Artifact, type ArtifactId, artifacts } from './artifacts.ts'
export { type Installation, installationOf, shellWord } from './installation/installation.ts'
