import path from 'node:path';
import { GeneratedPart } from '@antelope-history/test-support/generated-part';

/** The section of `docs/sizing.md` that `npm run sizing -- --write` writes. */
export function sizingSection(): GeneratedPart {
  return new GeneratedPart(path.join(__dirname, '../../../../docs/sizing.md'), {
    begin: '<!-- made by npm run sizing -- --write -->',
    end: '<!-- end of what npm run sizing makes -->',
  });
}
