import { runProgram } from './run-program';
import { runVerify } from './verify-command';

/** The program behind `npm run verify`. */
void runProgram(runVerify);
