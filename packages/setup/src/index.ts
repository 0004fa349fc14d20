// The door of @svc/setup: what makes a running monitor of a machine, and undoes it.
export { install, SetupError, uninstall } from './install.ts'
export { Cancelled, questions } from './questions.ts'
