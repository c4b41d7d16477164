// Property tests use the same random values in every run, so that failures come from changes and not from chance. SLUICE_SEED
// selects others (`SLUICE_SEED=$RANDOM npm test`); a failure prints the seed that reproduces it.
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.SLUICE_SEED ?? 20261121) });
