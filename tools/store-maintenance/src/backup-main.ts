import { runBackup } from './backup-command';
import { runProgram } from './run-program';

/** The program behind `npm run backup`. */
void runProgram(runBackup);
