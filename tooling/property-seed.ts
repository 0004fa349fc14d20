import fc from 'fast-check'

/** Properties see the same values in every run; `PROPERTY_SEED=$RANDOM` lets them see others. */
const SEED = 20_261_122

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.PROPERTY_SEED ?? SEED) })
