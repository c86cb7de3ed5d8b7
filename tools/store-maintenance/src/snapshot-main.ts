import { runProgram } from './run-program';
import { runSnapshot } from './snapshot-command';

/** The program behind `npm run snapshot`. */
void runProgram(runSnapshot);
