#!/usr/bin/env node
// The command line `sluice`, which is also `kubectl sluice`.
import { main } from '../lib/commands/main.ts';

process.exitCode = await main(process);
