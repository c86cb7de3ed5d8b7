import { runProgram } from './run-program';
import { runRepair } from './repair-command';

/** The program behind `npm run repair`. */
void runProgram(runRepair);
