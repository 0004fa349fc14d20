import fc from 'fast-check'

/** Properties see the same values in every run; `PROPERTY_SEED=$RANDOM` lets them see others, `TEST_SIZE=full` more of them. */
const SEED = 20_261_122

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  numRuns: process.env.TEST_SIZE === 'full' ? 100 : 30,
  seed: Number(process.env.PROPERTY_SEED ?? SEED),
})
