// Laws are tried with the same random values in every run, so that a change is judged by itself and not by luck; SLUICE_SEED
// tries others (`SLUICE_SEED=$RANDOM npm test`), and a failure prints the seed that shows it again.
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.SLUICE_SEED ?? 20261121) });
