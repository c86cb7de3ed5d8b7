import { SERVICE_NAMES } from '../service-name';
import { setUp } from './set-up';

export default setUp(SERVICE_NAMES);
