import { compareAll } from './compare-all';

compareAll('embedded');
