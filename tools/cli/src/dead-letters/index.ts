export { runDeadLetters, USAGE } from './dead-letters';
