import { describeWithService, SERVICE_NAMES } from '@antelope-history/servers';
import { compareAll } from './compare-all';

describeWithService([...SERVICE_NAMES], () => compareAll('distributed'));
