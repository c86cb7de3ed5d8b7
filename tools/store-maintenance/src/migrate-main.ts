import { runMigrate } from './migrate-command';
import { runProgram } from './run-program';

/** The program behind `npm run migrate`. */
void runProgram(runMigrate);
