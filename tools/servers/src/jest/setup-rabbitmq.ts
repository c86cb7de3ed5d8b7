import { setUp } from './set-up';

export default setUp(['rabbitmq']);
