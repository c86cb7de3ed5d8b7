import example from './get-actions.example.json';
import { STREAM } from './stream';

it('shows a row of get_actions in its example', () => {
  const [, row = ''] = /^event: action\nid: .*\ndata: (.*)$/m.exec(STREAM.example) ?? [];
  const names = Array.from(row.matchAll(/"([^"]+)":/g), ([, name]) => name);
  expect(names).not.toEqual([]);
  expect(Object.keys(example.response.actions[0] ?? {})).toEqual(expect.arrayContaining(names));
});
