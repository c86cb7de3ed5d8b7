import { describeWithService, SERVICE_NAMES } from '@antelope-history/services';
import { compareAll } from './compare-all';

describeWithService([...SERVICE_NAMES], () => compareAll('distributed'));
